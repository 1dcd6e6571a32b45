package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyTypeTest {
  private static final Map<String, KeyType<?>> TYPES =
      Map.of(
          "whole", new KeyType.Whole("tickets", -3, 64),
          "number", new KeyType.Decimal(0.5, 10),
          "amount", new KeyType.Money(),
          "span", new KeyType.Span(Duration.ofMillis(100), Duration.ofHours(2)),
          "flag", new KeyType.Flag(),
          "word", new KeyType.Choice<>(List.of("none", "per_day"), word -> word),
          "text", new KeyType.Text(Pattern.compile("[a-z]+"), "letters"),
          "list", new KeyType.Texts(Pattern.compile("[a-z]+"), "words of letters"),
          "maps", new KeyType.Documents("a list of maps"));

  private static Object parse(String type, Object value) {
    return Objects.requireNonNull(TYPES.get(type)).parse(value);
  }

  @ParameterizedTest(name = "{0}: {1} is {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          whole  | 64                   | 64
          whole  | " -3 "               | -3
          whole  | +7                   | 7
          whole  | 007                  | 7
          whole  | 7.0                  | 7
          whole  | 6e1                  | 60
          number | 0.5                  | 0.5
          number | 10                   | 10.0
          number | 1e0                  | 1.0
          amount | ""                   | Optional.empty
          amount | "  "                 | Optional.empty
          amount | 0                    | Optional[0]
          amount | 1000000000           | Optional[1000000000]
          amount | 0.000000000000000001 | Optional[1E-18]
          span   | 100ms                | PT0.1S
          span   | " 90 s "             | PT1M30S
          span   | 120m                 | PT2H
          span   | 2h                   | PT2H
          flag   | true                 | true
          flag   | " false "            | false
          word   | none                 | none
          word   | per-day              | per_day
          word   | per_day              | per_day
          text   | " abc "              | abc
          list   | ""                   | []
          list   | a                    | [a]
          list   | " b , a,,a, "        | [b, a, a]
          maps   | " "                  | []
          maps   | "[]"                 | []
          maps   | "[{a: 1, b: [c]}]"   | [{a=1, b=[c]}]
          maps   | "- a: 1"             | [{a=1}]
          """)
  @DisplayName("each type takes what people write for it")
  void taken(String type, String given, String read) {
    assertThat(parse(type, given)).hasToString(read);
  }

  @ParameterizedTest(name = "{0}: {1} {2}")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          whole  | ""                    | is not a whole number
          whole  | 65                    | is out of range
          whole  | -4                    | is out of range
          whole  | 7.5                   | is not a whole number
          whole  | 0x10                  | is not a whole number
          whole  | 1_0                   | is not a whole number
          whole  | 1,000                 | is not a whole number
          whole  | 5s                    | is not a whole number
          whole  | NaN                   | is not a whole number
          whole  | 4294967297            | is not a whole number in range
          whole  | 1e999999999           | is not a whole number in range
          whole  | 1e-999999999          | is not a whole number in range
          number | ""                    | is not a number
          number | 0.49                  | is out of range
          number | 10.000001             | is out of range
          number | NaN                   | is not a number
          number | Infinity              | is not a number
          number | "0,5"                 | is not a number
          number | 50%                   | is not a number
          number | 1e999999999           | is out of range
          amount | -0.01                 | is out of range
          amount | 1000000000.01         | is out of range
          amount | 1e-19                 | is out of range
          amount | 0e-999999999          | is out of range
          amount | 0e999999999           | is out of range
          amount | $5                    | is not an amount
          amount | "5 USD"               | is not an amount
          amount | NaN                   | is not an amount
          span   | ""                    | is not a duration
          span   | 99ms                  | is out of range
          span   | 7201s                 | is out of range
          span   | 5                     | is not a duration
          span   | 5 minutes             | is not a duration
          span   | 5S                    | is not a duration
          span   | 1.5h                  | is not a duration
          span   | 1h30m                 | is not a duration
          span   | PT5S                  | is not a duration
          span   | -5s                   | is not a duration
          span   | ٥s                    | is not a duration
          span   | 999999999999999d      | is out of range
          span   | 9999999999999999d     | is not a duration
          flag   | ""                    | is neither
          flag   | yes                   | is neither
          flag   | on                    | is neither
          flag   | 1                     | is neither
          flag   | TRUE                  | is neither
          word   | ""                    | is none of these words
          word   | None                  | is none of these words
          word   | perday                | is none of these words
          text   | ""                    | has the wrong form
          text   | Abc                   | has the wrong form
          text   | "a b"                 | has the wrong form
          text   | é                     | has the wrong form
          list   | "a,B"                 | has an entry of the wrong form
          list   | "a b"                 | has an entry of the wrong form
          list   | "[a, b]"              | has an entry of the wrong form
          maps   | a                     | is not a list of maps
          maps   | "{a: 1}"              | is not a list of maps
          maps   | "[{a: 1}, 2]"         | is not a list of maps
          maps   | "[{a: 1}"             | is not valid YAML at line 1
          maps   | "[{a: 1, a: 2}]"      | is not valid YAML at line 1
          maps   | "[&x {a: 1}, *x]"     | has a YAML alias at line 1
          """)
  @DisplayName("each type says what a value is not")
  void refused(String type, String given, String why) {
    assertRefused(type, given, why);
  }

  private static void assertRefused(String type, Object given, String why) {
    assertThatThrownBy(() -> parse(type, given))
        .as("%s: %s", type, given)
        .isExactlyInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith(why);
  }

  @Test
  @DisplayName("what YAML made of a value is taken only where nothing of it can be lost")
  void ofYaml() {
    for (Object seven : List.of(7, 7L, 7.0, BigInteger.valueOf(7), new BigDecimal("7.00"))) {
      assertThat(parse("whole", seven)).isEqualTo(7);
    }
    assertThat(parse("amount", 0.1)).isEqualTo(Optional.of(new BigDecimal("0.1")));
    assertThat(parse("flag", true)).isEqualTo(true);
    assertThat(parse("list", List.of("b", "a"))).isEqualTo(List.of("b", "a"));
    assertThat(parse("list", List.of())).isEqualTo(List.of());
    assertThat(parse("maps", List.of(Map.of(1, 2)))).isEqualTo(List.of(Map.of("1", 2)));

    assertRefused("whole", Double.NaN, "is not a whole number");
    assertRefused("number", Double.POSITIVE_INFINITY, "is not a number");
    assertRefused("whole", true, "is not a whole number");
    assertRefused("span", 5, "is not a duration");
    for (Object number : List.of(5, 1e3, false)) {
      assertRefused("text", number, "must be text; put it in quotes");
      assertRefused("list", number, "must be text; put it in quotes");
      assertRefused("list", List.of("a", number), "must be text; put it in quotes");
    }
    assertRefused("list", List.of("a", ""), "has an entry of the wrong form");
    assertRefused("list", Arrays.asList("a", null), "is empty");
    assertRefused("maps", Arrays.asList(Map.of(), null), "is not a list of maps");
    assertRefused("maps", 5, "is not a list of maps");
  }

  @Test
  @DisplayName("no type but those of several values takes a list or a map, none takes NUL")
  void structures() {
    for (String type : List.of("whole", "number", "amount", "span", "flag", "word", "text")) {
      String why = "is a list or map where one value is expected";
      assertRefused(type, List.of("7"), why);
      assertRefused(type, Map.of("a", "7"), why);
      assertRefused(type, "7\0", "has the character NUL");
    }
    assertRefused("list", Map.of("a", "b"), "is a list or map where one value is expected");
    assertRefused("list", List.of(List.of("a")), "is a list or map where one value is expected");
    assertRefused("list", List.of("a\0"), "has the character NUL");
    assertRefused("maps", Map.of("a", "b"), "is not a list of maps");
    assertRefused("maps", "[{a: \0}]", "is not valid YAML");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '"',
      textBlock =
          """
          whole  | whole number | tickets        | -3 to 64
          number | number       | ""             | 0.5 to 10
          amount | amount       | USD            | 0 to 1000000000, or empty for none
          span   | duration     | ms, s, m, h, d | 100ms to 2h
          flag   | flag         | ""             | true or false
          word   | word         | ""             | none, per_day
          text   | text         | ""             | letters
          list   | list         | ""             | words of letters
          maps   | list of maps | ""             | a list of maps
          """)
  @DisplayName("each type says in words what it allows")
  void words(String type, String label, String unit, String allowed) {
    KeyType<?> of = Objects.requireNonNull(TYPES.get(type));
    assertThat(of.label()).isEqualTo(label);
    assertThat(of.unit()).isEqualTo(unit);
    assertThat(of.allowed()).isEqualTo(allowed);
  }
}
