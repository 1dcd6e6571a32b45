package dev.holdfast.handler.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.ticket.InvalidInputException;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Design documents")
class DesignValidatorTest {
  private final DesignValidator validator = new DesignValidator();

  @Test
  @DisplayName("A YAML document becomes JSON with its keys in order")
  void readsYaml() {
    ValidDesign design =
        validator.validate(
            """
            # a comment
            kind: command
            command: [python3, job.py, "10"]
            directory: /srv/job
            timeout: 10m
            environment: {MODE: fast}
            review: none
            retry:
              categories:
                transient: {max_retries: 5, base_delay: 200ms}
              jitter: 0.25
            """);

    assertThat(design.kind()).isEqualTo("command");
    assertThat(design.definition())
        .isEqualTo(
            "{\"kind\":\"command\",\"command\":[\"python3\",\"job.py\",\"10\"],\"directory\":\"/srv/job\",\"timeout\":\"10m\","
                + "\"environment\":{\"MODE\":\"fast\"},\"review\":\"none\","
                + "\"retry\":{\"categories\":{\"transient\":{\"max_retries\":5,\"base_delay\":\"200ms\"}},\"jitter\":0.25}}");
  }

  @ParameterizedTest
  @DisplayName(
      "The same document in JSON, in flow YAML, with a byte order mark, indented with tabs")
  @ValueSource(
      strings = {
        "{\"kind\":\"command\",\"command\":[\"ls\"]}",
        "{kind: command, command: [ls]}",
        "\uFEFFkind: command\ncommand: [ls]\n",
        "{\n\t\"kind\": \"command\",\n\t\"command\": [\"ls\"]\n}",
        "---\nkind: command\ncommand:\n- ls\n",
      })
  void readsEachNotation(String text) {
    assertThat(validator.validate(text).definition())
        .isEqualTo("{\"kind\":\"command\",\"command\":[\"ls\"]}");
  }

  static Stream<Arguments> badDesigns() {
    return Stream.of(
        Arguments.of("", "the design is empty: write a YAML or JSON object with the key \"kind\""),
        Arguments.of(
            "just words",
            "the design must be an object: write keys and values, as in kind: command"),
        Arguments.of(
            "[1]", "the design must be an object: write keys and values, as in kind: command"),
        Arguments.of(
            "command: [ls]",
            "the design has no \"kind\": write one of [agent, command, repair, workflow]"),
        Arguments.of(
            "kind: 7",
            "the design has no \"kind\": write one of [agent, command, repair, workflow]"),
        Arguments.of(
            "kind: comand",
            "the design's kind \"comand\" is unknown: did you mean \"command\"? known are"
                + " [agent, command, repair, workflow]"),
        Arguments.of(
            "kind: agent",
            "the design is not valid: \"targets\" is missing in the design: the models to ask, as"
                + " in [{provider: openai, model: gpt-5}]; attempts take them in turn"),
        Arguments.of(
            "{kind: agent, targets: [{provider: openai, model: m}], approval: [run_command]}",
            "the design is not valid: approval names run_command, which is not among its tools: add"
                + " it there, or leave it out here"),
        Arguments.of(
            "{kind: agent, targets: [{provider: openai, model: m}], approval: [rm]}",
            "the design is not valid: approval[0]: \"rm\" is no tool: write a built-in one of"
                + " tools, or mcp__SERVER__TOOL"),
        Arguments.of(
            "{kind: agent, targets: [{provider: openai, model: m}], tools: [rm]}",
            "the design is not valid: tools[0] must be one of [read_file, write_file, edit_file,"
                + " list_files, grep, run_command, apply_patch], not \"rm\""),
        Arguments.of(
            "{kind: agent, targets: [{provider: openai, model: m}], report: {schema: {type: 7}}}",
            "the design is not valid: report.schema.type"),
        Arguments.of(
            "{kind: agent, targets: [{provider: openai, model: m}], limits: {max_turns: 0}}",
            "the design is not valid: limits.max_turns: must have a minimum value of 1"),
        Arguments.of(
            "kind: robot",
            "the design's kind \"robot\" is unknown: known are [agent, command, repair, workflow]"),
        Arguments.of(
            "kind: command",
            "the design is not valid: \"command\" is missing in the design: the program and its"
                + " arguments as a list, as in [python3, job.py]; no shell reads it"),
        Arguments.of(
            "{kind: command, command: []}",
            "the design is not valid: command: must name a program: [program, argument, ...]"),
        Arguments.of(
            "{kind: command, command: ls -l}",
            "the design is not valid: command must be of type array, not \"ls -l\""),
        Arguments.of(
            "{kind: command, command: [sleep, 10]}",
            "the design is not valid: command[1] must be of type string, not 10: put it in quotes"),
        Arguments.of(
            "{kind: command, command: [ls], tiemout: 5m}",
            "the design is not valid: unknown key \"tiemout\" in the design: did you mean"
                + " \"timeout\"? known are [after, command, description, directory, environment,"
                + " expires, kind, may_enqueue, pass_environment, retry, review, timeout]"),
        Arguments.of(
            "{kind: command, command: [ls], timeout: 10 minutes}",
            "the design is not valid: timeout: \"10 minutes\" is not a duration: write a whole"
                + " number above 0 and a unit, as in 500ms, 30s, 10m, 2h, 1d"),
        Arguments.of(
            "{kind: command, command: [ls], timeout: 0s}",
            "the design is not valid: timeout: \"0s\" is not a duration: write a whole number above"
                + " 0 and a unit, as in 500ms, 30s, 10m, 2h, 1d"),
        Arguments.of(
            "{kind: command, command: [ls], directory: jobs}",
            "the design is not valid: directory: \"jobs\" must be an absolute path, as in"
                + " /srv/job"),
        Arguments.of(
            "{kind: command, command: [ls], review: maybe}",
            "the design is not valid: review must be one of [human, none], not \"maybe\""),
        Arguments.of(
            "{kind: command, command: [ls], environment: {PORT: 8080}}",
            "the design is not valid: environment.PORT must be of type string, not 8080: put it in"
                + " quotes"),
        Arguments.of(
            "{kind: command, command: [ls], retry: {categories: {transient: {max_retries: -1}}}}",
            "the design is not valid: retry: max_retries: \"-1\" is not a whole number from 0 to"
                + " 1000"),
        Arguments.of(
            "{kind: command, command: [ls], retry: {max_delays: 5m}}",
            "the design is not valid: retry: unknown key \"max_delays\" in retry"),
        Arguments.of(
            "{kind: command, command: [ls], retry: 3}",
            "the design is not valid: retry must be of type object, not 3"),
        Arguments.of(
            "{kind: command, command: [\"a\\u0000b\"]}",
            "the design is not valid: command[0] contains a NUL character: remove it"),
        Arguments.of(
            "kind: command\nkind: command\ncommand: [ls]",
            "the design is not readable as YAML on line 2, column 5: Duplicate Object property"),
        Arguments.of(
            "{\"kind\":\"command\",\"kind\":\"command\"}",
            "the design is not readable as JSON on line 1, column 25: Duplicate Object property"),
        Arguments.of(
            "{\"kind\": \"command\"",
            "the design is not readable as JSON on line 1, column 19: it ends too early"),
        Arguments.of("kind: [command", "the design is not readable as YAML on line 1"),
        Arguments.of(
            "kind: command\n---\nkind: command\n",
            "the design has a second YAML document on line 3: write one alone, without ---"),
        Arguments.of(
            "kind: command\ncommand: &words [ls]\nenvironment: *words",
            "the design uses the YAML alias *words on line 3: aliases are not supported, write the"
                + " value out"));
  }

  @ParameterizedTest(name = "{0}")
  @DisplayName("Bad input: one line that names the key and what it may be")
  @MethodSource("badDesigns")
  void refuses(String text, String message) {
    assertThatThrownBy(() -> validator.validate(text))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageStartingWith(message)
        .message()
        .doesNotContain("\n");
  }

  @Test
  @DisplayName("Several mistakes are told at once")
  void tellsAll() {
    assertThatThrownBy(() -> validator.validate("{kind: command, review: x, timeout: y}"))
        .hasMessageContainingAll("\"command\" is missing", "review must be", "timeout: \"y\"");
  }

  @Test
  @DisplayName("A design of 10 MB is refused by its size, unread")
  void refusesHuge() {
    String text = "kind: command\ncommand: [\"" + "x".repeat(10_000_000) + "\"]";

    assertThatThrownBy(() -> validator.validate(text))
        .hasMessage(
            "the design has 10000027 bytes and may have 1048576: keep large inputs in files or in"
                + " the tickets' payloads");
  }

  @Test
  @DisplayName("A design of deep brackets is refused and not recursed into")
  void refusesDeep() {
    assertThatThrownBy(() -> validator.validate("{kind: command, command: " + "[".repeat(5000)))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(
            () -> validator.validate("{\"kind\": \"command\", \"command\": " + "[".repeat(5000)))
        .isInstanceOf(InvalidInputException.class);
  }

  @Test
  @DisplayName("Billion laughs: nested aliases are refused before they are expanded")
  void refusesYamlBomb() {
    StringBuilder bomb = new StringBuilder("a0: &a0 [lol, lol]\n");
    for (int i = 1; i < 40; i++) {
      bomb.append(String.format(Locale.ROOT, "a%d: &a%d [*a%d, *a%d]%n", i, i, i - 1, i - 1));
    }

    assertThatThrownBy(() -> validator.validate(bomb + "kind: command\n"))
        .hasMessageContaining("alias *a0 on line 2");
  }

  @Test
  @ResourceLock(Resources.GLOBAL)
  @DisplayName("Keys and messages do not depend on the locale")
  void worksInTurkish() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("tr-TR"));
    try {
      assertThatThrownBy(
              () ->
                  validator.validate(
                      "{kind: command, command: [ls], DIRECTORY: /srv, TIMEOUT: 1m}"))
          .hasMessageContainingAll("did you mean \"directory\"?", "did you mean \"timeout\"?");
      assertThat(validator.validate("{kind: command, command: [ls], timeout: 1m}").kind())
          .isEqualTo("command");
    } finally {
      Locale.setDefault(before);
    }
  }
}
