package dev.holdfast.app;

import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static dev.holdfast.testing.ModelBehaviour.toolCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.mcp.FakeMcp;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tools that fail, are cancelled or run too long, under a whole worker and a real model server. */
@WithDatabase
@Timeout(90)
class ToolTroubleIT {
  private static final String TARGET = "targets: [{provider: openai, model: gpt-a}]\n";
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  private final TestDatabase database;
  private final ModelServer models = ModelServer.start();
  private Fleet fleet;
  @TempDir private Path directory;

  ToolTroubleIT(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void prepare() {
    fleet = new Fleet(database, models, directory);
  }

  @AfterEach
  void stop() {
    fleet.close();
    models.close();
  }

  /** The fake server is in the workspace, where it runs. */
  private String server(String... command) throws IOException {
    Path kit = FakeMcp.copyTo(Files.createDirectories(directory.resolve("kit")));
    return "workspace: {copy_from: \"%s\"}\nmcp: {fake: {command: %s}}\n"
        .formatted(kit, JsonMapper.shared().writeValueAsString(command));
  }

  private String fakeServer() throws IOException {
    return server(
        JavaCommand.path("java"),
        "-XX:TieredStopAtLevel=1",
        "-cp",
        ".",
        FakeMcp.class.getName(),
        "good");
  }

  private JsonNode awaitEvent(long id, String event) {
    String find =
        "SELECT details::text FROM holdfast.session_events WHERE ticket_id = ? AND event = ?";
    Awaitility.await()
        .atMost(PATIENCE)
        .until(() -> !fleet.tickets.column(find, id, event).isEmpty());
    return JsonMapper.shared().readTree(fleet.tickets.column(find, id, event).getFirst());
  }

  @Test
  @DisplayName(
      "C32, C33: a tool that a worker tries again is told of while it waits, with its severity")
  void retried() throws IOException {
    models.always(
        choose(
            request ->
                request.assistantMessages() == 0
                    ? toolCall("mcp__fake__die_once", "{\"text\": \"hi\"}")
                    : toolCall("agent__final_report", Fleet.REPORT)));
    fleet.start(1);
    long id = fleet.enqueue("retried", TARGET + fakeServer(), 1).getFirst();

    JsonNode retry = awaitEvent(id, "tool_retry");

    assertThat(retry.path("message").asString())
        .isEqualTo("Tool 'mcp__fake__die_once' failed, retrying (2/3)...");
    assertThat(retry.path("severity").asString()).isEqualTo("error");
    assertThat(retry.path("delayMs").asLong()).isBetween(500L, 550L);
    assertThat(retry.path("error").asString()).contains("MCP server fake did not answer");
    fleet.awaitAll(List.of(id), "done");
  }

  @Test
  @DisplayName(
      "C18: what a person could do about a tool's failure is in the model's request, the ticket's"
          + " record and its events")
  void hints() throws IOException {
    // The server lists its tools once, and is gone when one of them is called: its mark is in the
    // workspace.
    String once = "if [ -e \"$0.gone\" ]; then exit 1; fi; touch \"$0.gone\"; exec \"$@\"";
    models.always(
        choose(
            request ->
                request.assistantMessages() == 0
                    ? toolCall("mcp__fake__die_once", "{\"text\": \"hi\"}")
                    : toolCall("agent__final_report", Fleet.REPORT)));
    fleet.start(1);
    long id =
        fleet
            .enqueue(
                "hints",
                TARGET
                    + server(
                        "sh",
                        "-c",
                        once,
                        "server",
                        JavaCommand.path("java"),
                        "-cp",
                        ".",
                        FakeMcp.class.getName(),
                        "good"),
                1)
            .getFirst();
    fleet.awaitAll(List.of(id), "done");

    String fix = "See on the worker's machine whether the program starts by itself.";
    assertThat(models.requests().getLast().body().toString()).contains(fix, "command -v sh");
    assertThat(
            fleet.tickets.value(
                "SELECT entry->'reply'->'trouble'->>'suggestedFix' FROM holdfast.session_journal"
                    + " WHERE kind = 'tool_finished' AND ticket_id = "
                    + id))
        .isEqualTo(fix);
    JsonNode finished = awaitEvent(id, "tool_finished");
    assertThat(finished.path("severity").asString()).isEqualTo("error");
    assertThat(finished.at("/recoveryCommands/0").asString()).isEqualTo("command -v sh");
  }

  @Test
  @DisplayName("C30, C32: a person who cancels the ticket ends the whole batch of its tools")
  void cancelled() {
    models.always(
        toolCalls(
            new ToolCall("a", "run_command", "{\"command\": \"touch begun; sleep 600\"}"),
            new ToolCall("b", "run_command", "{\"command\": \"touch second\"}")));
    fleet.start(1);
    long id = fleet.enqueue("cancelled", TARGET + "tools: [run_command]\n", 1).getFirst();
    awaitEvent(id, "tools_started");
    Awaitility.await().atMost(PATIENCE).until(() -> sleeps());

    fleet.tickets.column("SELECT holdfast.cancel_ticket(?, 'ann', 'not needed')", id);

    JsonNode cancelled = awaitEvent(id, "tools_cancelled");
    assertThat(cancelled.path("message").asString()).isEqualTo("Cancelled");
    assertThat(cancelled.path("severity").asString()).isEqualTo("info");
    assertThat(cancelled.path("calls")).hasSize(2);
    Awaitility.await().atMost(PATIENCE).until(() -> !sleeps());
    assertThat(fleet.tickets.state(id)).isEqualTo("cancelled");
    assertThat(models.requests()).hasSize(1);
  }

  /** Whether the first command of the ticket runs. */
  private static boolean sleeps() {
    try (var all = ProcessHandle.allProcesses()) {
      return all.anyMatch(
          each -> each.info().commandLine().orElse("").contains("begun; sleep 600"));
    }
  }

  @Test
  @DisplayName("C7, T1: a tool that runs at the attempt's deadline is ended then, and says so")
  void deadline() throws IOException {
    models.always(toolCall("mcp__fake__hang", "{\"text\": \"hi\"}"));
    fleet.start(1);
    long id = fleet.enqueue("deadline", "timeout: 8s\n" + TARGET + fakeServer(), 1).getFirst();

    JsonNode finished = awaitEvent(id, "tool_finished");

    assertThat(finished.path("content").asString())
        .contains("GlobalRequestTimeoutException", "the attempt's time is over", "was ended");
    assertThat(finished.path("executions").asInt()).isEqualTo(1);
  }
}
