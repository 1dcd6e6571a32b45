package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Progress;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.process.Utf8;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.schema.ExactJson;
import dev.holdfast.ticket.InvalidInputException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.exc.StreamConstraintsException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads tickets from lines of JSON, one at a time; blank lines are skipped. Errors name the line.
 * Used by one thread.
 */
final class TicketLines implements Iterator<Named> {
  private static final Set<String> FIELDS =
      new TreeSet<>(
          Set.of(
              "design",
              "kind",
              "title",
              "payload",
              "queue",
              "priority",
              "delay",
              "run_at",
              "unique_key",
              "max_cost_usd",
              "expires",
              "concurrency_key",
              "fairness_key",
              "name",
              "after",
              "after_batch",
              "on_cancelled",
              "unique_for",
              "on_duplicate"));

  /**
   * The encoding in which a line's bytes are its characters, so that the line that is not UTF-8 can
   * be named.
   */
  static final Charset BYTES = StandardCharsets.ISO_8859_1;

  /** Numbers keep their digits. */
  private final JsonMapper mapper =
      ExactJson.ofAnyLength().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final BufferedReader lines;
  private final Progress progress;
  private final long size;
  private long read;
  private @Nullable String next;
  private long lineNumber;
  private long count;

  /**
   * @param lines read as {@link #BYTES}
   * @param size the size of all lines, in bytes; 0 where nobody knows
   */
  TicketLines(BufferedReader lines, long size, Terminal terminal) {
    this.lines = lines;
    this.size = size;
    this.progress = new Progress(terminal, "read");
  }

  /** Makes room for what is printed next. */
  void end() {
    progress.end();
  }

  /** Returns the number of lines read so far. */
  long count() {
    return count;
  }

  /** Returns the number of the line that was read last; blank ones count. */
  long lineNumber() {
    return lineNumber;
  }

  @Override
  public boolean hasNext() {
    try {
      while (next == null || next.isBlank()) {
        String line = lines.readLine();
        lineNumber++;
        if (line == null) {
          return false;
        }
        byte[] bytes = line.getBytes(BYTES);
        read += bytes.length + 1L;
        next = lineNumber == 1 ? Utf8.withoutMark(Utf8.strictly(bytes)) : Utf8.strictly(bytes);
      }
      return true;
    } catch (CharacterCodingException e) {
      throw bad("is not UTF-8 text", e);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Override
  public Named next() {
    if (!hasNext()) {
      throw new NoSuchElementException();
    }
    String line = java.util.Objects.requireNonNull(next);
    next = null;
    count++;
    progress.step(size == 0 ? 0 : Math.min(1, (double) read / size));
    try {
      return named(mapper.readTree(line));
    } catch (StreamConstraintsException e) {
      throw bad(beyondBounds(e), e);
    } catch (JacksonException e) {
      throw bad("is not JSON, or says a name twice", e);
    } catch (NumberFormatException e) {
      throw bad("has a number whose exponent is beyond all bounds", e);
    } catch (UsageException | InvalidInputException e) {
      throw bad(e.getMessage(), e);
    }
  }

  /** Returns Jackson's message without the name of its setting. */
  private static String beyondBounds(StreamConstraintsException e) {
    String words = e.getOriginalMessage();
    return words.startsWith("Document nesting depth")
        ? "has more than " + StreamReadConstraints.DEFAULT_MAX_DEPTH + " levels"
        : "is beyond the bounds of JSON here: " + words.replaceFirst(", from `[^`]*`", "");
  }

  private UsageException bad(@Nullable String reason, Exception cause) {
    return new UsageException(
        "--file: line " + lineNumber + ": " + reason + "; nothing was added", cause);
  }

  private static Named named(JsonNode line) {
    NewTicket ticket = ticket(line).withAfterBatch(batch(line.get("after_batch")));
    OnCancelled policy = Predecessors.policy(text(line, "on_cancelled"));
    After after = After.of(line.path("after"));
    return new Named(
        text(line, "name"),
        ticket.withAfter(after.ids).withFollowing(new Following(after.results, policy)),
        after.names);
  }

  private static @Nullable Long batch(@Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return null;
    }
    if (!value.isIntegralNumber() || !value.canConvertToLong()) {
      throw new UsageException("after_batch must be the id of a batch");
    }
    return value.longValue();
  }

  /**
   * The things that a line waits for: names of other lines, ids, and ids by names for their
   * results.
   */
  private record After(List<String> names, List<Long> ids, Map<Long, String> results) {
    static After of(JsonNode after) {
      After read = new After(new ArrayList<>(), new ArrayList<>(), new HashMap<>());
      if (after.isObject()) {
        read.add(after);
      } else if (after.isArray()) {
        after.forEach(read::add);
      } else if (!after.isMissingNode() && !after.isNull()) {
        throw new UsageException("after must be a list of names and ids, as in [\"fetch\", 17]");
      }
      return read;
    }

    private void add(JsonNode each) {
      if (each.isString()) {
        names.add(each.stringValue());
      } else if (each.isObject()) {
        each.forEachEntry((name, id) -> Following.name(results, id(id), name));
        each.forEach(id -> ids.add(id(id)));
      } else {
        ids.add(id(each));
      }
    }

    private static long id(JsonNode each) {
      if (!each.isIntegralNumber() || !each.canConvertToLong()) {
        throw new UsageException(
            "after has " + PlainText.cut(each.toString(), 40) + "; give names and ids of tickets");
      }
      return each.longValue();
    }
  }

  private static NewTicket ticket(JsonNode line) {
    if (!line.isObject()) {
      throw new UsageException(
          "is not a JSON object, as in {\"design\": \"report\", \"payload\": {}}");
    }
    for (String field : line.propertyNames()) {
      if (!FIELDS.contains(field)) {
        throw new UsageException(
            "unknown field \"%s\"; known are %s"
                .formatted(PlainText.cut(field, 40), String.join(", ", FIELDS)));
      }
    }
    String delay = text(line, "delay");
    String runAt = text(line, "run_at");
    String cost = text(line, "max_cost_usd");
    String queue = text(line, "queue");
    String expires = text(line, "expires");
    JsonNode payload = line.get("payload");
    NewTicket ticket = designOrKind(text(line, "design"), text(line, "kind"));
    return (queue == null ? ticket : ticket.withQueue(queue))
        .withTitle(text(line, "title"))
        .withPayload(payload == null || payload.isNull() ? "{}" : payload.toString())
        .withPriority(priority(line.get("priority")))
        .withDelay(delay == null ? null : Words.duration("delay", delay))
        .withRunAt(runAt == null ? null : Words.time("run_at", runAt))
        .withUniqueKey(text(line, "unique_key"))
        .withMaxCostUsd(cost == null ? null : Words.money("max_cost_usd", cost))
        .withExpiry(expires == null ? null : TicketWords.expiry("expires", expires))
        .withConcurrencyKey(text(line, "concurrency_key"))
        .withFairnessKey(text(line, "fairness_key"))
        .withUniqueness(
            TicketWords.uniqueness(
                "unique_for",
                text(line, "unique_for"),
                "on_duplicate",
                text(line, "on_duplicate")));
  }

  private static NewTicket designOrKind(@Nullable String design, @Nullable String kind) {
    if (design != null && kind == null) {
      return NewTicket.ofDesign(design);
    }
    if (kind != null && design == null) {
      return NewTicket.ofKind(kind);
    }
    throw new UsageException("needs either design or kind");
  }

  private static @Nullable String text(JsonNode line, String field) {
    JsonNode value = line.get(field);
    if (value == null || value.isNull()) {
      return null;
    }
    boolean number = value.isNumber() && field.equals("max_cost_usd");
    if (!value.isString() && !number) {
      throw new UsageException(field + " must be text");
    }
    return value.asString();
  }

  private static int priority(@Nullable JsonNode value) {
    if (value == null || value.isNull()) {
      return 0;
    }
    if (!value.isInt()) {
      throw new UsageException("priority must be a whole number");
    }
    return value.intValue();
  }
}
