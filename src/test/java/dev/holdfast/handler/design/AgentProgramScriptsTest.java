package dev.holdfast.handler.design;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.StreamSupport;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** The scripts of docs/agent-programs.md, around programs that speak as the real ones do. */
@DisplayName("The designs of docs/agent-programs.md")
class AgentProgramScriptsTest {
  private static final JsonMapper MAPPER = JsonMapper.shared();

  private static final String TICKET =
      """
      {"id": 7, "created_at": "2026-11-30T06:00:00.123456Z", "payload": {"prompt": "%s"}}
      """;

  @TempDir private Path home;

  @BeforeEach
  void jqIsThere() {
    boolean there =
        List.of("/usr/bin/jq", "/usr/local/bin/jq", "/opt/homebrew/bin/jq").stream()
            .anyMatch(each -> Files.isExecutable(Path.of(each)));
    assumeTrue(there, "jq is not installed");
  }

  private static JsonNode command(String program) throws IOException {
    List<JsonNode> commands =
        Pattern.compile("```yaml\n(kind: .*?)```", Pattern.DOTALL)
            .matcher(Files.readString(Path.of("docs/agent-programs.md")))
            .results()
            .map(found -> new DesignValidator().validate(found.group(1)).definition())
            .map(definition -> MAPPER.readTree(definition).get("command"))
            .toList();
    assertThat(commands).hasSize(4);
    return commands.stream()
        .filter(each -> each.get(3).asString().equals(program))
        .findFirst()
        .orElseThrow();
  }

  private String run(String program, String says, String prompt)
      throws IOException, InterruptedException {
    Path bin = Files.createDirectories(home.resolve("bin"));
    Path standIn = bin.resolve(program);
    Files.writeString(
        standIn,
        "#!/bin/bash\ncat >'%s/stdin'\nprintf '%%s\\n' \"$@\" >'%s/arguments'\n%s\n"
            .formatted(home, home, says));
    assertThat(standIn.toFile().setExecutable(true)).isTrue();
    List<String> words =
        new ArrayList<>(
            StreamSupport.stream(command(program).spliterator(), false)
                .map(JsonNode::asString)
                .toList());
    Path ticket = Files.writeString(home.resolve("ticket"), TICKET.formatted(prompt));
    Path output = home.resolve("output");
    ProcessBuilder builder =
        new ProcessBuilder(words)
            .redirectErrorStream(true)
            .redirectInput(ticket.toFile())
            .redirectOutput(output.toFile());
    builder.environment().put("PATH", bin + ":" + System.getenv("PATH"));
    builder.environment().put("HOME", home.toString());
    builder.environment().put("HOLDFAST_TICKET_ID", "7");
    builder.environment().put("HOLDFAST_GUIDANCE", "use tabs");
    int exit = builder.start().waitFor();
    String said = Files.readString(output);
    return exit == 0 ? said.lines().toList().getLast() : "exit " + exit + ": " + said;
  }

  private String heard() throws IOException {
    return Files.readString(home.resolve("stdin"));
  }

  private static String answers(String program) {
    return switch (program) {
      case "claude" -> "echo '{\"type\":\"result\",\"answer\":\"yes\"}'";
      case "codex" -> "printf yes >\"$4\"";
      case "opencode" -> "echo '{\"type\":\"text\",\"part\":{\"text\":\"yes\"}}'";
      default -> triesOfPi("stop");
    };
  }

  private static String triesOfPi(String reasons) {
    String end =
        "{\"stopReason\":\"'$each'\",\"errorMessage\":\"overloaded\","
            + "\"content\":[{\"type\":\"text\",\"text\":\"yes\"}]}";
    return "for each in %s; do echo '{\"type\":\"agent_end\",\"messages\":[%s]}'; done"
        .formatted(reasons, end);
  }

  @ParameterizedTest(name = "{0}: {1}")
  @DisplayName(
      "give the task and what people said on stdin, so that none of it is an option or a file")
  @CsvSource({
    "claude, - fix the tests",
    "claude, @ann asks --help",
    "codex, - fix the tests",
    "codex, @ann asks --help",
    "opencode, - fix the tests",
    "opencode, --model=x fix it",
    "pi, - fix the tests",
    "pi, @ann asks --help"
  })
  void wordsAreNoOptions(String program, String prompt) throws Exception {
    String last = run(program, answers(program), prompt);

    assertThat(last).contains("\"answer\":\"yes\"");
    assertThat(heard()).isEqualTo(prompt + "\nuse tabs\n");
    assertThat(home.resolve("arguments")).content().doesNotContain(prompt);
  }

  @ParameterizedTest(name = "pi''s tries end with {0}")
  @DisplayName("take the last of pi's own tries for what became of it")
  @CsvSource({
    "'stop', '{\"answer\":\"yes\"}'",
    "'error stop', '{\"answer\":\"yes\"}'",
    "'stop error', 'exit 1: '",
    "'error error', 'exit 1: '"
  })
  void lastTry(String tries, String result) throws Exception {
    String last = run("pi", triesOfPi(tries), "do it");

    assertThat(last).startsWith(result);
    assertThat(last.startsWith("exit")).isEqualTo(last.contains("{\"error\":\"overloaded\"}"));
  }

  @ParameterizedTest(name = "{0} behind {1}")
  @DisplayName("find the answer of pi and opencode beside lines that are none of their events")
  @CsvSource({"pi, a warning", "pi, 7", "opencode, a warning", "opencode, 7"})
  void strangeLines(String program, String line) throws Exception {
    String last = run(program, "echo '" + line + "'\n" + answers(program), "do it");

    assertThat(last).isEqualTo("{\"answer\":\"yes\"}");
  }

  @Test
  @DisplayName("say that pi ended without an answer where it ends without a word")
  void noEndOfPi() throws Exception {
    String last = run("pi", "echo '{\"type\":\"session\"}'", "do it");

    assertThat(last).startsWith("exit 1: ").contains("{\"error\":\"pi ended without an answer\"}");
  }

  @ParameterizedTest(name = "where the session is {0}")
  @DisplayName("resume Claude Code's session where it is there, and begin it else")
  @CsvSource({"there, --resume", "missing, --session-id"})
  void sessionOfClaude(String session, String option) throws Exception {
    String id = "6b0d10e0-0000-4000-8000-000000000007";
    Path project = Files.createDirectories(home.resolve(".claude/projects/-srv-project"));
    if (session.equals("there")) {
      Files.writeString(project.resolve(id + ".jsonl"), "{}\n");
    }
    run("claude", "echo '{}'", "do it");

    assertThat(home.resolve("arguments")).content().contains(option);
    assertThat(heard()).endsWith("use tabs\n");
  }
}
