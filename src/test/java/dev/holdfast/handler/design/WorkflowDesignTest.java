package dev.holdfast.handler.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ticket.InvalidInputException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@DisplayName("Designs of workflows")
class WorkflowDesignTest {
  private final DesignValidator validator = new DesignValidator();

  @Test
  @DisplayName("docs/workflows.md names every key of a step, and its example is taken")
  void page() throws IOException {
    String page = Files.readString(Path.of("docs/workflows.md"));
    int begin = page.indexOf("kind: workflow\n");
    assertThat(validator.validate(page.substring(begin, page.indexOf("```", begin))).kind())
        .isEqualTo("workflow");
    JsonNode schema =
        JsonMapper.shared()
            .readTree(
                getClass()
                    .getResourceAsStream("/dev/holdfast/handler/design-workflow.schema.json"));
    assertThat(schema.at("/$defs/step/properties").propertyNames())
        .hasSizeGreaterThan(10)
        .allSatisfy(key -> assertThat(page).contains("`" + key));
  }

  @ParameterizedTest
  @DisplayName("that make no sense are refused, and the step and the reason are said")
  @CsvSource(
      delimiter = '|',
      quoteCharacter = '`',
      value = {
        "a: {design: d, after: [c]}, b: {design: d, after: [a]}, c: {design: d, after: [b]}"
            + "|wait for each other in a circle: a after c after b after a",
        "a: {design: d, after: [a]}|in a circle: a after a",
        "a: {design: d, after: [x]}|step a waits for \"x\", and there is no such step; there are a",
        "a: {design: d}, b: {design: d, when: results.a.ok}"
            + "|step b uses results.a and does not wait for it: add \"a\" to its after",
        "a: {design: d, payload: {x: \"${results.z.y}\"}}"
            + "|step a uses results.z, and there is no such step",
        "a: {design: d, when: \"1 +\"}|step a: 1 +: mismatched input",
        "a: {design: d, when: \"nope.x\"}|undeclared reference to 'nope'",
        "a: {design: d, payload: {x: \"${payload.y\"}}|has a ${ without its }",
        "a: {kind: human, design: d}|step a needs either a design or kind: human",
        "a: {}|step a needs either a design or kind: human",
        "a: {kind: human, payload: {}}|step a: payload is for steps with a design",
        "a: {design: d, form: {}}|step a: form is for steps of people",
        "a: {design: d, breadth: 3}|step a: breadth goes with for_each",
        "a: {kind: human, form: {type: 7}}|step a: form: \"schema\" is no JSON schema",
        "a: {design: d, afer: [b]}|afer",
        "\"a b\": {design: d}|must be a step's name",
      })
  void refused(String steps, String message) {
    assertThatThrownBy(() -> validator.validate("kind: workflow\nsteps: {" + steps + "}"))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining(message);
  }

  @Test
  @DisplayName("may read a key of the payload that is called results")
  void resultsOfPayload() {
    assertThatCode(
            () ->
                validator.validate(
                    "kind: workflow\nsteps: {a: {design: d, payload: {x:"
                        + " \"${payload.results.first}\"}}}"))
        .doesNotThrowAnyException();
  }

  @Test
  @DisplayName("are nothing without steps")
  void noSteps() {
    assertThatThrownBy(() -> validator.validate("{kind: workflow, steps: {}}"))
        .isInstanceOf(InvalidInputException.class);
  }
}
