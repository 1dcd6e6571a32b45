package dev.holdfast.postgres.inbox;

import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.Uniqueness;
import dev.holdfast.schema.UnreadableJson;
import dev.holdfast.ticket.InvalidInputException;
import java.math.BigDecimal;
import java.math.MathContext;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;

/**
 * Checks a new ticket before it is sent to the database, so that a bad one costs the caller's
 * transaction nothing and is reported in words. Immutable.
 *
 * @param limits the longest payload
 */
record NewTicketRules(PayloadLimits limits) {
  // This is the same as in require_queue_name and know_lane in the database.
  private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,62}");
  private static final Pattern KIND = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:/-]{0,99}");
  private static final int MAX_TITLE_LENGTH = 10_000; // as enqueue_any_ticket in the database
  private static final int MAX_KEY_LENGTH = 500; // an index entry holds 2,700 bytes
  private static final Duration MAX_DELAY = Duration.ofDays(36_500);
  private static final Duration SHORTEST_UNIQUE = Duration.ofMillis(1);
  private static final Duration LONGEST_UNIQUE = Duration.ofDays(100);
  private static final Instant LAST_TIME = Instant.parse("9999-12-31T00:00:00Z");
  private static final BigDecimal MAX_COST = new BigDecimal(1_000_000_000);
  private static final int MAX_COST_DECIMALS = 18; // 1e-999999999 has a billion
  private static final int MAX_PREDECESSORS = 10_000; // as wait_for_tickets in the database
  private static final MathContext SHOWN = new MathContext(10);
  private static final JsonFactory JSON = new JsonFactory();

  /**
   * @return how long the payload is as the database writes it out, or a little more
   * @throws InvalidInputException naming the first value that cannot be taken, and what is allowed
   */
  int check(NewTicket ticket) {
    if (ticket.design() == null && ticket.kind() == null) {
      throw new InvalidInputException("a ticket needs a design or a kind");
    }
    checkName("queue", ticket.queue(), QUEUE, "1 to 63 letters, digits and . _ : -");
    checkName("kind", ticket.kind(), KIND, "1 to 100 letters, digits and . _ : / -");
    utf8Length("design", ticket.design());
    checkTitle(ticket.title());
    utf8Length("unique key", ticket.uniqueKey());
    checkNotBlank("unique key", ticket.uniqueKey());
    if (ticket.uniqueKey() != null && ticket.uniqueKey().length() > MAX_KEY_LENGTH) {
      throw new InvalidInputException(
          "the unique key is longer than " + MAX_KEY_LENGTH + " characters");
    }
    if (ticket.traceparent() != null && !NewTicket.isTraceparent(ticket.traceparent())) {
      throw new InvalidInputException(
          "a traceparent reads 00-<32 hex digits>-<16 hex digits>-01, as W3C Trace Context has it");
    }
    int expanded = checkPayload(ticket.payload());
    checkStart(ticket.delay(), ticket.runAt());
    checkExpiry(ticket.expiry());
    checkKey("concurrency key", ticket.concurrencyKey());
    checkKey("fairness key", ticket.fairnessKey());
    checkUniqueness(ticket);
    if (ticket.after().size() > MAX_PREDECESSORS) {
      throw new InvalidInputException(
          ("a ticket may wait for %s others at most, not for %s; let some tickets in"
                  + " between wait for %s each, and this one for them")
              .formatted(MAX_PREDECESSORS, ticket.after().size(), MAX_PREDECESSORS));
    }
    checkCostLimit(ticket.kind(), ticket.maxCostUsd());
    BigDecimal cost = ticket.maxCostUsd();
    if (cost != null
        && (cost.signum() < 0
            || cost.compareTo(MAX_COST) > 0
            || cost.scale() > MAX_COST_DECIMALS)) {
      throw new InvalidInputException(
          "the cost limit must be from 0 to 1000000000 USD with %s decimals at most, not %s"
              .formatted(MAX_COST_DECIMALS, cost.round(SHOWN)));
    }
    return expanded;
  }

  /** Checks like require_cost_limit in the database. */
  static void checkCostLimit(@Nullable String kind, @Nullable BigDecimal cost) {
    if (cost != null && "workflow".equals(kind)) {
      throw new InvalidInputException(
          "a workflow has no limit of cost: its steps are tickets of their own; set"
              + " limits.max_cost_usd in their designs");
    }
  }

  private static void checkTitle(@Nullable String title) {
    utf8Length("title", title);
    if (title != null && title.codePointCount(0, title.length()) > MAX_TITLE_LENGTH) {
      throw new InvalidInputException(
          "the title is longer than "
              + MAX_TITLE_LENGTH
              + " characters; put long texts into the payload");
    }
  }

  private static void checkName(
      String what, @Nullable String name, Pattern pattern, String allowed) {
    if (name != null && !pattern.matcher(name).matches()) {
      throw new InvalidInputException(
          "\"%s\" cannot be the name of a %s; take %s, the first a letter or digit"
              .formatted(
                  name.replaceAll("\\p{Cntrl}", "?").substring(0, Math.min(100, name.length())),
                  what,
                  allowed));
    }
  }

  private static void checkStart(@Nullable Duration delay, @Nullable Instant runAt) {
    if (delay != null && (delay.isNegative() || delay.compareTo(MAX_DELAY) > 0)) {
      throw new InvalidInputException("the delay must be from 0 to 36500 days, not " + delay);
    }
    if (runAt != null && (runAt.isBefore(Instant.EPOCH) || runAt.isAfter(LAST_TIME))) {
      throw new InvalidInputException("the start time must be from 1970 to 9999, not " + runAt);
    }
  }

  private static void checkExpiry(@Nullable Expiry expiry) {
    if (expiry instanceof Expiry.In(Duration time)
        && (!time.isPositive() || time.compareTo(MAX_DELAY) > 0)) {
      throw new InvalidInputException(
          "a ticket expires after more than 0 and at most 36500 days, not " + time);
    }
    if (expiry instanceof Expiry.At(Instant time)
        && (time.isBefore(Instant.EPOCH) || time.isAfter(LAST_TIME))) {
      throw new InvalidInputException("the expiry must be from 1970 to 9999, not " + time);
    }
  }

  /** Checks like require_key in the database. */
  private static void checkKey(String what, @Nullable String key) {
    long bytes = utf8Length(what, key);
    checkNotBlank(what, key);
    if (key != null && key.chars().anyMatch(Character::isISOControl)) {
      throw new InvalidInputException(
          "the " + what + " has a control character; leave it out of the key");
    }
    if (bytes > MAX_KEY_LENGTH) {
      throw new InvalidInputException(
          ("the %s has %s bytes, and %s are allowed; take a short name, or a hash of a"
                  + " long one")
              .formatted(what, bytes, MAX_KEY_LENGTH));
    }
  }

  private static void checkNotBlank(String what, @Nullable String key) {
    if (key != null && key.isBlank()) {
      throw new InvalidInputException(
          "the " + what + " must not be empty; leave it out for a ticket without one");
    }
  }

  private static void checkUniqueness(NewTicket ticket) {
    Uniqueness uniqueness = ticket.uniqueness();
    if (ticket.uniqueKey() == null && !uniqueness.equals(Uniqueness.USUAL)) {
      throw new InvalidInputException(
          "how long a unique key holds and what becomes of a duplicate needs a unique key");
    }
    Duration time = uniqueness.time();
    if (time != null
        && (time.compareTo(SHORTEST_UNIQUE) < 0 || time.compareTo(LONGEST_UNIQUE) > 0)) {
      throw new InvalidInputException(
          "a unique key holds for 1ms to 100 days, or for ever, not for " + time);
    }
  }

  /** Checks a payload; returns the same as {@link #check}. */
  int checkPayload(String payload) {
    long bytes = utf8Length("payload", payload);
    if (bytes > limits.bytes()) {
      throw new InvalidInputException(
          ("the payload has %s bytes, more than %s; put large data elsewhere and its"
                  + " address into the payload, or raise payload.max-bytes")
              .formatted(bytes, limits.bytes()));
    }
    try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), payload)) {
      ExpandedLength length = new ExpandedLength(bytes);
      if (readValue(parser, payload.contains("\\u"), length) || parser.nextToken() != null) {
        throw new InvalidInputException(
            "the payload must be one JSON value; it is empty or has more after it");
      }
      return length.within(limits.expandedBytes());
    } catch (JacksonException e) {
      throw new InvalidInputException(
          "the payload is not JSON: " + UnreadableJson.reason(e) + place(e.getLocation()));
    }
  }

  /** Returns the place of an error; a document that is nested too deeply has none. */
  private static String place(@Nullable TokenStreamLocation at) {
    return at == null ? "" : " at line " + at.getLineNr() + ", column " + at.getColumnNr();
  }

  /** Reads one value to its end; returns true if there is none. */
  private static boolean readValue(JsonParser parser, boolean hasEscapes, ExpandedLength length) {
    int depth = 0;
    do {
      JsonToken token = parser.nextToken();
      if (token == null) {
        return true;
      }
      length.add(token, parser);
      if (token.isStructStart()) {
        depth++;
      } else if (token.isStructEnd()) {
        depth--;
      } else if (hasEscapes && !token.isNumeric()) {
        utf8Length("payload", parser.getString());
      }
    } while (depth > 0);
    return false;
  }

  /**
   * @return 0 for null
   * @throws InvalidInputException if the text has a NUL or half a surrogate pair: PostgreSQL stores
   *     neither
   */
  private static long utf8Length(String what, @Nullable String text) {
    long bytes = 0;
    for (int i = 0; text != null && i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == 0) {
        throw new InvalidInputException(
            "the "
                + what
                + " has the character NUL (\\u0000), which PostgreSQL cannot store; leave it out");
      }
      bytes += c < 0x80 ? 1 : c < 0x800 ? 2 : 3;
      if (Character.isSurrogate(c)) {
        if (!Character.isHighSurrogate(c)
            || i + 1 == text.length()
            || !Character.isLowSurrogate(text.charAt(i + 1))) {
          throw new InvalidInputException(
              ("the %s has half a surrogate pair (character %s), which is no text; leave"
                      + " it out")
                  .formatted(what, i + 1));
        }
        bytes++;
        i++;
      }
    }
    return bytes;
  }
}
