package dev.holdfast.config;

import dev.holdfast.retry.DurationText;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The type of a key, which checks its value. Values arrive as text (environment, flags) or as what
 * YAML made of them.
 *
 * @param <T> what a value is once read
 */
public sealed interface KeyType<T> {
  /** Returns one word for the documentation: {@code duration}. */
  String label();

  /** Returns the unit, or an empty text. */
  default String unit() {
    return "";
  }

  /** Returns the allowed values, for messages and documentation: {@code 1 to 64}. */
  String allowed();

  /**
   * @throws IllegalArgumentException if the value is not allowed; says what it is not, without the
   *     value, which may be a secret
   */
  T parse(Object value);

  /** A whole number from {@code min} to {@code max}. */
  record Whole(String unit, int min, int max) implements KeyType<Integer> {
    @Override
    public String label() {
      return "whole number";
    }

    @Override
    public String allowed() {
      return min + " to " + max;
    }

    @Override
    public Integer parse(Object value) {
      try {
        int number = new BigDecimal(scalar(value)).intValueExact();
        return require(number >= min && number <= max, number, "is out of range");
      } catch (ArithmeticException | NumberFormatException e) {
        throw new IllegalArgumentException("is not a whole number in range", e);
      }
    }
  }

  /** A number from {@code min} to {@code max}. */
  record Decimal(double min, double max) implements KeyType<Double> {
    /** A number from 0 to 1. */
    static final Decimal FRACTION = new Decimal(0, 1);

    @Override
    public String label() {
      return "number";
    }

    @Override
    public String allowed() {
      return plain(min) + " to " + plain(max);
    }

    @Override
    public Double parse(Object value) {
      try {
        double number = new BigDecimal(scalar(value)).doubleValue();
        return require(number >= min && number <= max, number, "is out of range");
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("is not a number", e);
      }
    }

    private static String plain(double number) {
      return BigDecimal.valueOf(number).stripTrailingZeros().toPlainString();
    }
  }

  /** An amount of USD, or none. */
  record Money() implements KeyType<Optional<BigDecimal>> {
    private static final int MOST_DECIMALS = 18; // 1e-999999999 has a billion

    @Override
    public String label() {
      return "amount";
    }

    @Override
    public String unit() {
      return "USD";
    }

    @Override
    public String allowed() {
      return "0 to 1000000000, or empty for none";
    }

    @Override
    public Optional<BigDecimal> parse(Object value) {
      String text = scalar(value);
      if (text.isEmpty()) {
        return Optional.empty();
      }
      try {
        BigDecimal usd = new BigDecimal(text);
        return require(isAllowed(usd), Optional.of(usd), "is out of range");
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException("is not an amount", e);
      }
    }

    /**
     * Returns the largest amount. It is no constant, so that a start without an amount does not
     * need the class.
     */
    private static BigDecimal most() {
      return BigDecimal.valueOf(1_000_000_000);
    }

    private static boolean isAllowed(BigDecimal usd) {
      return usd.signum() >= 0
          && usd.compareTo(most()) <= 0
          && usd.scale() <= MOST_DECIMALS
          && usd.scale() >= -MOST_DECIMALS;
    }

    /** Reads the amount in a part of a document. */
    static BigDecimal amount(String name, @Nullable Object given) {
      try {
        BigDecimal usd = new BigDecimal(String.valueOf(given));
        return require(isAllowed(usd), usd, name + " must be from 0 to " + most().toPlainString());
      } catch (NumberFormatException e) {
        throw new IllegalArgumentException(name + " must be an amount of USD", e);
      }
    }
  }

  /** A duration from {@code min} to {@code max}. */
  record Span(Duration min, Duration max) implements KeyType<Duration> {
    @Override
    public String label() {
      return "duration";
    }

    @Override
    public String unit() {
      return "ms, s, m, h, d";
    }

    @Override
    public String allowed() {
      return DurationText.format(min) + " to " + DurationText.format(max);
    }

    @Override
    public Duration parse(Object value) {
      String text = scalar(value);
      Duration duration;
      try {
        duration = DurationText.parse(text);
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(
            "is not a duration (a whole number and a unit, as in 500ms, 30s, 5m, 2h, 7d)", e);
      }
      return require(
          duration.compareTo(min) >= 0 && duration.compareTo(max) <= 0,
          duration,
          "is out of range");
    }
  }

  /** Yes or no. */
  record Flag() implements KeyType<Boolean> {
    @Override
    public String label() {
      return "flag";
    }

    @Override
    public String allowed() {
      return "true or false";
    }

    @Override
    public Boolean parse(Object value) {
      String text = scalar(value);
      return require(text.equals("true") || text.equals("false"), text, "is neither")
          .equals("true");
    }
  }

  /**
   * One of a few words.
   *
   * @param <E> what the words stand for
   */
  record Choice<E>(List<E> values, Function<E, String> word) implements KeyType<E> {
    @Override
    public String label() {
      return "word";
    }

    @Override
    public String allowed() {
      return String.join(", ", values.stream().map(word).toList());
    }

    @Override
    public E parse(Object value) {
      String text = scalar(value).replace('-', '_');
      for (E each : values) {
        if (word.apply(each).equals(text)) {
          return each;
        }
      }
      throw new IllegalArgumentException("is none of these words");
    }
  }

  /** Text of a certain shape. */
  record Text(Pattern shape, String allowed) implements KeyType<String> {
    static final Text ANY = new Text(Pattern.compile("(?s).*"), "any text");
    static final Text WITHOUT_BLANKS = new Text(Pattern.compile("\\S*"), "text without blanks");
    static final Text LONG_SECRET =
        new Text(Pattern.compile("|\\S{16,}"), "at least 16 characters without blanks");

    @Override
    public String label() {
      return "text";
    }

    @Override
    public String parse(Object value) {
      String text = quoted(value);
      return require(shape.matcher(text).matches(), text, "has the wrong form");
    }
  }

  /** Text whose blanks count, too. The end of its line does not count, as in a file. */
  record Password() implements KeyType<String> {
    @Override
    public String label() {
      return "text";
    }

    @Override
    public String allowed() {
      return Text.ANY.allowed();
    }

    @Override
    public String parse(Object value) {
      quoted(value);
      return String.valueOf(value).replaceFirst("[\\r\\n]+\\z", "");
    }
  }

  /** Several texts of a certain shape: a list in the file, commas between them elsewhere. */
  record Texts(Pattern shape, String allowed) implements KeyType<List<String>> {
    @Override
    public String label() {
      return "list";
    }

    @Override
    public List<String> parse(Object value) {
      List<String> texts =
          value instanceof List<?> list
              ? list.stream().map(KeyType::quoted).toList()
              : Pattern.compile(",")
                  .splitAsStream(quoted(value))
                  .map(String::strip)
                  .filter(each -> !each.isEmpty())
                  .toList();
      return require(
          texts.stream().allMatch(shape.asMatchPredicate()),
          texts,
          "has an entry of the wrong form");
    }
  }

  /** A list of maps: as such in the file, as a JSON or YAML document elsewhere. */
  record Documents(String allowed) implements KeyType<List<Map<String, ?>>> {
    @Override
    public String label() {
      return "list of maps";
    }

    @Override
    public List<Map<String, ?>> parse(Object value) {
      if (value instanceof String text && text.isBlank()) {
        return List.of();
      }
      Object document = value instanceof String text ? YamlText.parse(text) : value;
      if (document instanceof List<?> list) {
        return list.stream().<Map<String, ?>>map(Documents::map).toList();
      }
      throw new IllegalArgumentException("is not a list of maps");
    }

    private static Map<String, ?> map(@Nullable Object value) {
      if (value instanceof Map<?, ?> map) {
        Map<String, @Nullable Object> copy = new LinkedHashMap<>();
        map.forEach((name, each) -> copy.put(String.valueOf(name), each));
        return copy;
      }
      throw new IllegalArgumentException("is not a list of maps");
    }
  }

  private static String scalar(@Nullable Object value) {
    if (value == null) {
      throw new IllegalArgumentException("is empty");
    }
    if (value instanceof Map || value instanceof List) {
      throw new IllegalArgumentException("is a list or map where one value is expected");
    }
    String text = String.valueOf(value).strip();
    return require(text.indexOf('\0') < 0, text, "has the character NUL");
  }

  /**
   * Requires text in quotes. YAML reads 1e3 and 0x1F as numbers, and the text itself would be lost.
   */
  private static String quoted(@Nullable Object value) {
    String text = scalar(value);
    return require(value instanceof String, text, "must be text; put it in quotes");
  }

  /** Returns the text of a name in a document. */
  static String textIn(Map<String, ?> document, String name) {
    Object value = document.get(name);
    if (value instanceof String text && !text.isBlank()) {
      return text;
    }
    throw new IllegalArgumentException(
        name + (value == null ? " is missing" : " must be text; put it in quotes"));
  }

  private static <V> V require(boolean allowed, V value, String otherwise) {
    if (!allowed) {
      throw new IllegalArgumentException(otherwise);
    }
    return value;
  }
}
