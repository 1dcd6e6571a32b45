package dev.holdfast.cli.output;

import dev.holdfast.config.FileProblem;
import dev.holdfast.failure.Category;
import dev.holdfast.process.Utf8;
import dev.holdfast.retry.DurationText;
import dev.holdfast.schema.NearestKey;
import dev.holdfast.ticket.TicketState;
import java.io.IOException;
import java.io.InputStream;
import java.math.BigDecimal;
import java.nio.charset.CharacterCodingException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.format.DateTimeParseException;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Reads what people write as arguments. What cannot be read is a {@link UsageException} that says
 * what may be written.
 */
public final class Words {
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS).build();

  private Words() {}

  public static TicketState state(String word) {
    List<String> known = Arrays.stream(TicketState.values()).map(TicketState::wireName).toList();
    return TicketState.ofWireName(word.replace('-', '_'))
        .orElseThrow(() -> unknown("state", word, known));
  }

  public static Category category(String word) {
    List<String> known = Arrays.stream(Category.values()).map(Category::wireName).toList();
    return Category.ofWireName(word.replace('-', '_'))
        .orElseThrow(() -> unknown("category", word, known));
  }

  private static UsageException unknown(String what, String word, List<String> known) {
    return new UsageException(
        "\"%s\" is no %s; %sallowed: %s"
            .formatted(
                PlainText.cut(word, 40),
                what,
                NearestKey.meant(word, known)
                    .map(meant -> "did you mean " + meant + "? ")
                    .orElse(""),
                String.join(", ", known)));
  }

  /** Returns a constant by its name in small letters. */
  public static <E extends Enum<E>> E oneOf(String option, String word, Class<E> type) {
    List<String> known =
        Arrays.stream(type.getEnumConstants())
            .map(each -> each.name().toLowerCase(Locale.ROOT))
            .toList();
    int at = known.indexOf(word);
    if (at < 0) {
      throw new UsageException(
          option + ": \"" + PlainText.cut(word, 40) + "\"; allowed: " + String.join(", ", known));
    }
    return type.getEnumConstants()[at];
  }

  /**
   * Returns a filter. A blank one is refused: a script that lost a value would get all tickets, or
   * none.
   */
  public static @Nullable String filter(String option, @Nullable String text) {
    if (text != null && text.isBlank()) {
      throw new UsageException(option + ": it is empty; leave it out");
    }
    return text;
  }

  public static Duration duration(String option, String text) {
    try {
      return DurationText.parse(text);
    } catch (IllegalArgumentException e) {
      throw new UsageException(option + ": " + e.getMessage(), e);
    }
  }

  public static Instant time(String option, String text) {
    try {
      return OffsetDateTime.parse(text.strip().replace(' ', 'T')).toInstant();
    } catch (DateTimeParseException e) {
      throw new UsageException(
          "%s: \"%s\" is not a time with its zone; write it as 2026-11-30T09:00:00Z or 2026-11-30T10:00:00+01:00"
              .formatted(option, PlainText.cut(text, 60)),
          e);
    }
  }

  public static BigDecimal money(String option, String text) {
    try {
      BigDecimal amount = new BigDecimal(text.strip());
      if (amount.signum() >= 0
          && amount.precision() - amount.scale() <= 12
          && amount.scale() <= 12) {
        return amount;
      }
    } catch (NumberFormatException e) {
      // It is refused below, like a negative one.
    }
    throw new UsageException(
        "%s: \"%s\" is not an amount of US dollars, as in 2.50"
            .formatted(option, PlainText.cut(text, 40)));
  }

  /** Reads a ticket's id, also as {@code #17}. */
  public static long id(String text) {
    return id(text.startsWith("#") ? text.substring(1) : text, "ticket", "holdfast list");
  }

  /**
   * Reads an id.
   *
   * @param what it is the id of
   * @param list the command that shows the ids there are
   */
  public static long id(String text, String what, String list) {
    try {
      long id = Long.parseLong(text);
      if (id > 0) {
        return id;
      }
    } catch (NumberFormatException e) {
      // It is refused below, like a negative one.
    }
    throw new UsageException(
        "\"%s\" is not a %s's id, a whole number from 1; %s shows them"
            .formatted(PlainText.cut(text, 40), what, list));
  }

  public static int limit(int limit) {
    if (limit < 1) {
      throw new UsageException("--limit: " + limit + " is too small; the least is 1");
    }
    return limit;
  }

  /**
   * Returns the text itself, or what is in FILE for {@code @FILE}, or standard input for
   * {@code @-}.
   */
  public static String textOrFile(String option, String text, InputStream in) {
    if (!text.startsWith("@")) {
      return text;
    }
    String name = text.substring(1);
    try {
      return Utf8.withoutMark(
          name.equals("-") ? Utf8.strictly(in.readAllBytes()) : Files.readString(Path.of(name)));
    } catch (CharacterCodingException e) {
      String source = name.equals("-") ? "standard input" : "the file " + name;
      throw new UsageException(option + ": " + source + " is not UTF-8 text", e);
    } catch (IOException | java.nio.file.InvalidPathException e) {
      throw new UsageException(
          "%s: cannot read the file \"%s\": %s; check its name"
              .formatted(option, name, FileProblem.of(name, e)),
          e);
    }
  }

  /**
   * Reads as {@link #textOrFile} does, but refuses the name of a file without its {@code @}, which
   * is no JSON.
   */
  public static String payload(String text, InputStream in) {
    if (!text.startsWith("@") && text.endsWith(".json")) {
      throw new UsageException(
          "--payload: write @%s for what is in that file".formatted(PlainText.cut(text, 60)));
    }
    return textOrFile("--payload", text, in);
  }

  /** Reads any JSON, from the argument itself or a file as in {@link #textOrFile}. */
  public static String json(String option, String text, InputStream in) {
    String json = textOrFile(option, text, in);
    try {
      JSON.readTree(json);
    } catch (JacksonException e) {
      throw new UsageException(
          option + " is no JSON; a text stands in double quotes, as in '\"red\"'", e);
    }
    return json;
  }

  /** Reads JSON that is an object, from the argument itself or a file as in {@link #textOrFile}. */
  public static String jsonObject(String option, String text, InputStream in) {
    String json = textOrFile(option, text, in);
    try {
      if (new JsonMapper().readTree(json).isObject()) {
        return json;
      }
    } catch (JacksonException e) {
      // It is refused below, like other JSON.
    }
    throw new UsageException(option + " is no JSON object, as in {\"path\": \"a.txt\"}");
  }
}
