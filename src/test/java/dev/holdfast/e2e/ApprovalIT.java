package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static dev.holdfast.testing.ModelBehaviour.toolCalls;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Tool calls that wait for a person, over restarts of the worker, as people see and decide them.
 */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(400)
class ApprovalIT {
  private static final String DESIGN =
      """
      kind: agent
      targets: [{provider: openai, model: m}]
      tools: [read_file, write_file, run_command]
      approval: [write_file, run_command]
      """;

  private static final String KEY = "sk-for-tests";

  private TicketRows rows;
  private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;
  private HoldfastProcess worker;

  @BeforeAll
  void install(TestDatabase database, @TempDir Path place) throws Exception {
    rows = new TicketRows(database.dataSource());
    directory = place;
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", KEY)
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())
            .with("HOLDFAST_WORKER_LEASE", "3s")
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s");
    worker = holdfast.worker();
  }

  @BeforeEach
  void forget() {
    models.forget();
  }

  private long enqueue() throws Exception {
    Files.writeString(directory.resolve("design.yaml"), DESIGN);
    holdfast.ok("design", "put", "careful", "--file", "design.yaml");
    return Long.parseLong(
        holdfast.ok("enqueue", "--design", "careful", "--payload", "{\"prompt\": \"Do it.\"}"));
  }

  private Path workspace(long id) throws Exception {
    try (Stream<Path> all = Files.list(directory.resolve(".holdfast/agents"))) {
      return all.filter(each -> each.getFileName().toString().startsWith("ticket-" + id + "-"))
          .findFirst()
          .orElseThrow();
    }
  }

  /** Whoever does this starts the next one. */
  private void kill() throws Exception {
    worker.signal("KILL");
    worker.awaitOutcome();
  }

  @Test
  @DisplayName(
      "5.4: the calls, their arguments and their effect are shown; approved, edited and denied they"
          + " are exactly what runs, once, over restarts of the worker")
  void approveEditDeny() throws Exception {
    String line = "{\"command\": \"echo ran >> log.txt\"}";
    models.next(
        toolCalls(
            new ToolCall("w", "write_file", "{\"path\": \"a.txt\", \"content\": \"one\\ntwo\\n\"}"),
            new ToolCall("r", "run_command", line),
            new ToolCall("x", "run_command", "{\"command\": \"rm -rf everything\"}")));
    models.always(
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}"));
    long id = enqueue();
    String ticket = Long.toString(id);
    rows.awaitState(id, "on_hold");

    assertThat(rows.of(id, "hold_reason")).isEqualTo("approval");
    assertThat(Files.exists(workspace(id).resolve("a.txt"))).isFalse();
    String shown = holdfast.ok("show", ticket);
    assertThat(shown)
        .contains("approve_call, approve_call_with_changes, deny_call, cancel")
        .contains("+++ b/a.txt", "+one", "+two")
        .contains("$ echo ran >> log.txt", "in " + workspace(id));
    JsonNode calls =
        JsonMapper.shared().readTree(holdfast.ok("show", ticket, "--json")).path("tool_calls");
    assertThat(calls).hasSize(3);
    assertThat(calls.get(1).path("arguments").path("command").stringValue())
        .isEqualTo("echo ran >> log.txt");

    kill();
    Outcome released = holdfast.ask("release", ticket);
    assertThat(released.exit()).isEqualTo(3);
    assertThat(released.stderr()).contains("does not allow release", "approve_call");
    Outcome ambiguous = holdfast.ask("release", ticket, "--approve-call");
    assertThat(ambiguous.stderr()).contains("3 calls that wait", "--call N");
    decide(ticket, calls.get(0), "--approve-call", "--by", "ann");
    decide(ticket, calls.get(1), "--approve-call", "--arguments", line.replace("ran", "edited"));
    worker = holdfast.worker();
    assertThat(rows.of(id, "state")).isEqualTo("on_hold");
    decide(ticket, calls.get(2), "--deny-call", "--guidance", "never that", "--by", "bob");
    rows.awaitState(id, "needs_review");

    assertThat(Files.readString(workspace(id).resolve("a.txt"))).isEqualTo("one\ntwo\n");
    assertThat(Files.readAllLines(workspace(id).resolve("log.txt"))).containsExactly("edited");
    assertThat(models.requests()).as("no call of the model is repeated").hasSize(2);
    assertThat(models.lastRequest().body().toString())
        .contains("changed it, to", "echo edited", "(bob) did not allow", "never that");
    Outcome late = holdfast.ask("release", ticket, "--approve-call", "--by", "carl");
    assertThat(late.exit()).isEqualTo(3);
    assertThat(late.stderr()).contains("bob was the last to act on it (call_denied");
    assertThat(rows.outcomes(id)).containsExactly("parked", "succeeded");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
  }

  @Test
  @DisplayName("5.4: a denied call and the words for it are told also where guidance follows")
  void deniedThenGuided() throws Exception {
    models.next(toolCall("run_command", "{\"command\": \"echo ran >> log.txt\"}"));
    models.always(
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}"));
    long id = enqueue();
    String ticket = Long.toString(id);
    rows.awaitState(id, "on_hold");
    kill();
    holdfast.ok("release", ticket, "--deny-call", "--guidance", "never that", "--by", "bob");
    holdfast.ok("hold", ticket, "--reason", "wait");
    holdfast.ok("release", ticket, "--guidance", "be quick, please");
    worker = holdfast.worker();
    rows.awaitState(id, "needs_review");

    assertThat(models.lastRequest().body().toString())
        .contains("(bob) did not allow", "never that", "be quick, please")
        .doesNotContain("call it again");
  }

  private void decide(String ticket, JsonNode call, String... words) throws Exception {
    String number = call.path("id").asString();
    holdfast.ok(
        Stream.concat(Stream.of("release", ticket, "--call", number), Stream.of(words))
            .toArray(String[]::new));
  }

  @Test
  @DisplayName(
      "5.4: a remembered approval spares the question for the same command, and only for it")
  void remembered() throws Exception {
    String make = "{\"command\": \"echo made >> log.txt\"}";
    models.next(
        toolCall("run_command", make),
        toolCall("run_command", make),
        toolCall("run_command", "{\"command\": \"echo other >> log.txt\"}"));
    models.always(
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}"));
    long id = enqueue();
    rows.awaitState(id, "on_hold");
    holdfast.ok("release", Long.toString(id), "--approve-call", "--remember");
    models.awaitRequest(3);
    rows.awaitState(id, "on_hold");

    assertThat(Files.readAllLines(workspace(id).resolve("log.txt"))).hasSize(2);
    assertThat(
            rows.column(
                "SELECT arguments FROM holdfast.waiting_tool_calls WHERE ticket_id = ?", id))
        .isEqualTo(List.of("{\"command\":\"echo other >> log.txt\"}"));
  }

  @Test
  @DisplayName(
      "5.4: a call with a secret in it is shown without the secret, and can be allowed: it runs as"
          + " it was shown")
  void secretInCall() throws Exception {
    String line = "{\"command\": \"echo " + KEY + " >> log.txt\"}";
    models.next(
        toolCall("run_command", line),
        toolCall("write_file", "{\"path\": \"key.txt\", \"content\": \"" + KEY + "\"}"));
    models.always(
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}"));
    long id = enqueue();
    rows.awaitState(id, "on_hold");
    holdfast.ok("release", Long.toString(id), "--approve-call");
    models.awaitRequest(2);
    rows.awaitState(id, "on_hold");
    List<String> asked =
        rows.column(
            "SELECT arguments || effect FROM holdfast.tool_approvals WHERE ticket_id = ?", id);
    holdfast.ok("release", Long.toString(id), "--approve-call");
    rows.awaitState(id, "needs_review");

    assertThat(asked).hasSize(2).allMatch(each -> each.contains("[redacted:"));
    assertThat(asked).noneMatch(each -> each.contains(KEY));
    assertThat(Files.readAllLines(workspace(id).resolve("log.txt")))
        .containsExactly("[redacted:providers.openai.api-key]");
  }
}
