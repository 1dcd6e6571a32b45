package dev.holdfast.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What expressions see, and what bounds them. */
class CelExpressionTest {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private static JsonNode value(String expression, String results) {
    return Expression.of(expression).value(Map.of("results", MAPPER.readTree(results)));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "results.a.b[1] + 1 | 3",
        "results.a.b.map(n, n * 2) | [2,4]",
        "has(results.a) && !has(results.c) | true",
        "results.map(key, key) | [\"a\",\"s\"]",
        "results.a.exists(key, key == 'b') | true",
        "'b' in results.a && 2 in results.a.b | true",
        "size(results.a.b) + size(results) | 4",
        "results.a == {'b': [1, 2]} | true",
        "results.a.b + [3] | [1,2,3]",
        "results.s + '!' | \"x!\"",
      })
  @DisplayName("an expression sees the documents as CEL's maps and lists")
  void documents(String expression, String expected) {
    assertThat(value(expression, "{\"a\": {\"b\": [1, 2]}, \"s\": \"x\"}")).hasToString(expected);
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "results.a.b | there is no results.a.b, for results.a is null: its ticket was cancelled or"
            + " had no result",
        "results.c.d.e | there is no results.c.d.e, for results.c.d is null",
        "results.c.e | there is no results.c.e",
      })
  @DisplayName("a path that leads nowhere says where it ends, and why a step has no result")
  void nowhere(String path, String problem) {
    assertThatThrownBy(() -> value(path, "{\"a\": null, \"c\": {\"d\": null}}"))
        .isInstanceOf(ExpressionException.class)
        .hasMessage(path + ": " + problem);
  }

  @Test
  @DisplayName("a text that is doubled again and again is refused before it fills the memory")
  void doubled() {
    String expression = "['aaaaaaaaaaaaaaaa']" + ".map(s, s + s)".repeat(29) + "[0] + results.a";
    assertThatThrownBy(() -> value(expression, "{\"a\": \"x\"}"))
        .isInstanceOf(ExpressionException.class)
        .hasMessageContaining("a text has more than 16777216 characters");
  }

  @Test
  @Timeout(60)
  @DisplayName("issue 23: an expression that looks at a part of large results reads that part")
  void part() {
    String items = "{\"name\": \"item\", \"tags\": [\"a\", \"b\"]},".repeat(20_000);
    Map<String, JsonNode> scope =
        Map.of("results", MAPPER.readTree("{\"items\": [" + items + "{\"name\": \"last\"}]}"));
    Expression last = Expression.of("results.items[20000].name + '!'");
    for (int i = 0; i < 20_000; i++) {
      assertThat(last.value(scope).stringValue()).isEqualTo("last!");
    }
  }
}
