package dev.holdfast.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class QuestionTest {
  private static final Duration SOON = Duration.ofSeconds(20);

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"ask\": \" \"}",
        "{\"ask\": {}}",
        "{\"ask\": \"?\", \"choices\": []}",
        "{\"ask\": \"?\", \"choices\": \"red\"}",
        "{\"ask\": \"?\", \"schema\": 7}",
        "{\"ask\": \"?\", \"schema\": {\"type\": 7}}",
        "{\"ask\": \"?\", \"schema\": {\"$defs\": {\"n\": {\"anyOf\": [{\"$ref\": \"#/$defs/n\"},"
            + " {\"$ref\": \"#/$defs/n\"}]}}, \"$ref\": \"#/$defs/n\"}}",
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

  @ParameterizedTest
  @ValueSource(
      strings = {
        "{\"type\": \"string\", \"pattern\": \"^(a|aa)+(x?)\\\\2$\"}",
        "{\"patternProperties\": {\"^(a|aa)+(x?)\\\\2$\": {}}, \"additionalProperties\": false}"
      })
  @DisplayName("issue 22: an answer whose check does not come to an end is refused, not waited for")
  void endlessPattern(String schema) {
    Question question = Question.parse("{\"ask\": \"?\", \"schema\": " + schema + "}");
    String text = "a".repeat(60) + "!";
    String answer = schema.contains("string") ? "\"" + text + "\"" : "{\"" + text + "\": 1}";
    String problem = assertTimeoutPreemptively(SOON, () -> question.problem(answer));
    assertThat(problem)
        .isEqualTo(
            "the answer cannot be checked: the patterns of the schema do not come to an end within"
                + " 2 s; use simpler ones");
  }

  @Test
  @DisplayName("issue 22: nor is a check waited for that cannot be stopped")
  void unstoppable() {
    CountDownLatch end = new CountDownLatch(1);
    assertTimeoutPreemptively(
        SOON,
        () ->
            assertThatThrownBy(() -> BoundedPattern.inTime(() -> atTheEnd(end)))
                .hasMessageContaining("do not come to an end"));
    end.countDown();
  }

  private static List<String> atTheEnd(CountDownLatch end) {
    try {
      end.await();
      return List.of();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  @DisplayName("issue 22: an answer that is too long for a pattern is refused")
  void deepPattern() {
    Question question =
        Question.parse(
            "{\"ask\": \"?\", \"schema\": {\"type\": \"string\", \"pattern\": \"^(a|b)+$\"}}");
    assertThat(question.problem("\"" + "ab".repeat(1 << 20) + "\""))
        .startsWith("the answer cannot be checked: a pattern of the schema repeats a group");
    assertThat(question.problem("\"ab\"")).isEmpty();
    assertThat(question.problem("\"abc\"")).contains("^(a|b)+$");
  }

  @ParameterizedTest
  @ValueSource(strings = {"many", "1 2", "[", ""})
  @DisplayName("an answer that is no JSON does not fit a schema")
  void noJson(String answer) {
    Question question =
        Question.parse("{\"ask\": \"how many?\", \"schema\": {\"type\": \"integer\"}}");
    assertThat(question.problem(answer)).startsWith("the answer ").doesNotContain("\n");
    assertThat(question.problem("3")).isEmpty();
  }
}
