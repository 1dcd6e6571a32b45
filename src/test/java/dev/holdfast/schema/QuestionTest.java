package dev.holdfast.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class QuestionTest {
  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"ask\": \" \"}",
        "{\"ask\": {}}",
        "{\"ask\": \"?\", \"choices\": []}",
        "{\"ask\": \"?\", \"choices\": \"red\"}",
        "{\"ask\": \"?\", \"schema\": 7}",
        "{\"ask\": \"?\", \"schema\": {\"type\": 7}}",
        "{\"ask\": \"?\", \"schema\": {\"$ref\": \"https://example.org/s.json\"}}",
        "{\"ask\": \"?\", \"choices\": [1], \"schema\": {\"type\": \"integer\"}}"
      })
  @DisplayName("issue 22: what is no question is refused in one sentence")
  void garbage(String document) {
    assertThatThrownBy(() -> Question.parse(document))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageStartingWith("the question cannot be asked: ")
        .hasMessageNotContainingAny("\n", "dev.holdfast");
  }

  @Test
  @DisplayName("issue 22: a question of a megabyte or of 10,000 choices is refused")
  void bounds() {
    String ask = "x".repeat(1 << 20);
    assertThatThrownBy(() -> Question.of(ask)).hasMessageContaining("1 to 10000 characters");
    List<String> choices = IntStream.range(0, 10_000).mapToObj(Integer::toString).toList();
    assertThatThrownBy(() -> Question.of("?", choices))
        .hasMessageContaining("10000 choices; at most 100");
    List<String> one = List.of("x".repeat(2_000));
    assertThatThrownBy(() -> Question.of("?", one)).hasMessageContaining("1000 characters");
  }

  @Test
  @DisplayName("issue 22: a result that happens to have a field \"ask\" is a result")
  void isMeant() {
    JsonMapper json = new JsonMapper();
    assertThat(Question.isMeant(json.readTree("{\"ask\": \"?\", \"choices\": [1]}"))).isTrue();
    assertThat(Question.isMeant(json.readTree("{\"ask\": 101.5}"))).isFalse();
    assertThat(Question.isMeant(json.readTree("{\"ask\": \"a\", \"bid\": \"b\"}"))).isFalse();
  }

  @Test
  @DisplayName("issue 22: a person's text is read as the type that the question asks for")
  void typed() {
    assertThat(Question.of("?").answer("7")).hasToString("\"7\"");
    Question choices = Question.parse("{\"ask\": \"?\", \"choices\": [1, \"one\", \"2\"]}");
    assertThat(choices.answer("1")).hasToString("1");
    assertThat(choices.answer("one")).hasToString("\"one\"");
    assertThat(choices.answer("2")).hasToString("\"2\"");
    Question schema = Question.parse("{\"ask\": \"?\", \"schema\": {\"type\": \"integer\"}}");
    assertThat(schema.answer("7")).hasToString("7");
    assertThat(schema.problem("7")).isEmpty();
    assertThat(schema.problem("\"x\"")).contains("the answer must be of type integer");
    assertThat(schema.answer("")).hasToString("\"\"");
  }
}
