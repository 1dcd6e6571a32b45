package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.cutAfter;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.errorInStream;
import static dev.holdfast.testing.ModelBehaviour.hang;
import static dev.holdfast.testing.ModelBehaviour.html;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelReply;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * An agent's ticket through a worker process, its models behind a real HTTP server. All tests share
 * the worker; those that get keys or providers closed have some of their own.
 */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Timeout(180)
class AgentIT {
  private static final String SECRET = "sk-agent-it-secret";
  private static final String DESIGN =
      """
      kind: agent
      system: You fix what is broken.
      targets: [{provider: openai%1$s, model: gpt-a}, {provider: my-claude%1$s, model: claude-b}]
      tools: [write_file, run_command]
      limits: {max_retries: 10}
      """;

  private TicketRows rows;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;
  private @Nullable HoldfastProcess shared;

  @BeforeAll
  void install(TestDatabase database, @TempDir Path directory) {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_LLM_MAX_CALLS_PER_EXECUTION", "5")
            .with("HOLDFAST_SESSION_RETRY_BASE_DELAY", "10ms")
            .with("HOLDFAST_COOLDOWN_WAIT_IN_SESSION", "20s")
            .with("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_MAX_RETRIES", "0");
    for (String suffix : List.of("", "_DOWN", "_REFUSED")) {
      String openai = "HOLDFAST_PROVIDERS_OPENAI" + suffix;
      String claude = "HOLDFAST_PROVIDERS_MY_CLAUDE" + suffix;
      holdfast
          .with(openai + "_TYPE", "openai")
          .with(openai + "_BASE_URL", models.openAiUrl())
          .with(openai + "_API_KEY", SECRET)
          .with(openai + "_PRICES", "[{model: \"gpt-*\", input: 1000, output: 2000}]")
          .with(claude + "_TYPE", "anthropic")
          .with(claude + "_BASE_URL", models.anthropicUrl())
          .with(claude + "_API_KEYS", SECRET + "1," + SECRET + "2");
    }
  }

  @BeforeEach
  void forget() {
    models.forget();
  }

  /** The design with the providers of a suffix. */
  private static String design(String suffix) {
    return DESIGN.formatted(suffix);
  }

  private HoldfastProcess worker() throws Exception {
    if (shared == null) {
      shared = holdfast.worker();
    }
    return shared;
  }

  private long enqueue(String design) throws Exception {
    Files.writeString(holdfast.directory().resolve("design.yaml"), design);
    holdfast.ok("design", "put", "fixer", "--file", "design.yaml");
    return Long.parseLong(
        holdfast.ok("enqueue", "--design", "fixer", "--payload", "{\"prompt\": \"Fix it.\"}"));
  }

  private static long millisBetween(ModelRequest first, ModelRequest second) {
    return Duration.ofNanos(second.atNanos() - first.atNanos()).toMillis();
  }

  /** What the worker says of it: nobody else knows when it began to call or to wait. */
  private static long millis(HoldfastProcess worker, String line) {
    Matcher said = Pattern.compile(line).matcher(worker.stderr());
    assertThat(said.find()).as(line + " in " + worker).isTrue();
    return Long.parseLong(said.group(1));
  }

  @Test
  @Order(1) // it counts all that the worker has called
  @DisplayName(
      "issue 4: 429 with Retry-After, 529, a hang, garbage, an error inside a stream on HTTP 200"
          + " and a cut stream, then success: needs_review, and every request accounted for")
  void everyFailure() throws Exception {
    models.nextFor(
        "gpt-a",
        error(429, "rate_limit_exceeded", "slow down", Map.of("Retry-After", "8")),
        hang(),
        errorInStream(1, "server_error", "the model broke"),
        toolCall("write_file", "{\"path\": \"a.txt\", \"content\": \"fixed\\n\"}"),
        toolCall("run_command", "{\"command\": \"env; cat a.txt\"}"));
    models.nextFor(
        "claude-b",
        error(529, "overloaded_error", "Overloaded", Map.of("Retry-After", "12")),
        html(200, "<html>a login page</html>"),
        cutAfter(2, ModelReply.text("almost there")));
    models.always(
        toolCall(
            "agent__final_report",
            "{\"status\": \"success\", \"content\": \"fixed\", \"enqueue\": [{\"design\": \"note\","
                + " \"payload\": {\"of\": \"it\"}}]}"));
    Files.writeString(holdfast.directory().resolve("note.yaml"), "{kind: command, command: [cat]}");
    holdfast.ok("design", "put", "note", "--file", "note.yaml");
    long id =
        enqueue(
            design("").replace("10}", "10, llm_timeout: 20s, max_attempt_calls: 60}")
                + "may_enqueue: [note]\n");
    HoldfastProcess worker = worker();
    rows.awaitState(id, "needs_review");

    List<ModelRequest> requests = models.requests();
    assertThat(requests.stream().map(ModelRequest::model))
        .as("round-robin over the targets, and one more for each later turn")
        .containsExactly(
            "gpt-a",
            "claude-b",
            "gpt-a",
            "claude-b",
            "gpt-a",
            "claude-b",
            "gpt-a",
            "gpt-a",
            "gpt-a");
    assertThat(worker.toString())
        .as("a rate limit goes on to the next target at once")
        .containsSubsequence("try 1 of openai", "try 2 of my-claude", "agent:retry: waiting");
    assertThat(millisBetween(requests.get(0), requests.get(2)))
        .as("with both targets closed the session waits for the first that opens (B26)")
        .isGreaterThanOrEqualTo(8000L);
    assertThat(millis(worker, "waiting (\\d+) ms before attempt 3"))
        .as("it opens a fifth later at most, and the other one not before")
        .isLessThanOrEqualTo(9600L);
    assertThat(millis(worker, "try 3 of openai/gpt-a: timeout, .* (\\d+) ms"))
        .as("the hang is cut by limits.llm_timeout")
        .isBetween(20_000L, 60_000L);
    assertThat(rows.outcomes(id)).as("attempts of the ticket").containsExactly("succeeded");
    assertThat(rows.of(id, "result::text"))
        .isEqualTo("{\"status\": \"success\", \"content\": \"fixed\"}");

    assertThat(rows.column("SELECT payload::text FROM holdfast.tickets WHERE parent_id = ?", id))
        .as("what it adds with its report")
        .containsExactly("{\"of\": \"it\"}");
    String seen = requests.getLast().body().toString();
    assertThat(seen).contains("fixed", "PATH=").doesNotContain(SECRET, "HOLDFAST_DATABASE");
    assertThat(requests.getFirst().key()).isEqualTo(SECRET);
    assertThat(requests.get(1).key()).isEqualTo(SECRET + "1");
    assertMetrics(worker);
    assertThat(worker.toString() + rows.of(id, "to_jsonb(tickets)::text")).doesNotContain(SECRET);
  }

  private void assertMetrics(HoldfastProcess worker) throws Exception {
    assertCalls(worker, "openai", "gpt-a", Map.of("none", 3, "rate_limit", 1, "timeout", 1));
    double others =
        worker
            .get("/metrics")
            .body()
            .lines()
            .filter(line -> line.startsWith("holdfast_llm_calls_total{"))
            .mapToDouble(line -> Double.parseDouble(line.substring(line.lastIndexOf(' ') + 1)))
            .sum();
    assertThat(others).as("wire calls that were counted").isEqualTo(models.requests().size());
    String gpt = "model=\"gpt-a\",provider=\"openai\"}";
    assertThat(worker.metric("holdfast_llm_tokens_total{kind=\"output\"," + gpt)).isEqualTo(15);
    assertThat(worker.metric("holdfast_llm_cost_usd_total{" + gpt))
        .isEqualTo(3 * (10 * 0.001 + 5 * 0.002));
    assertThat(worker.metric("holdfast_llm_latency_seconds_count{" + gpt)).isEqualTo(6);
    assertThat(
            worker.metric(
                "ai_agent_final_report_total{forced_final_reason=\"none\",source=\"tool-call\","
                    + "status=\"success\"}"))
        .isEqualTo(1);
  }

  private static void assertCalls(
      HoldfastProcess worker, String provider, String model, Map<String, Integer> byFailure)
      throws Exception {
    for (Map.Entry<String, Integer> each : byFailure.entrySet()) {
      assertThat(
              worker.metric(
                  "holdfast_llm_calls_total{failure=\"%s\",model=\"%s\",provider=\"%s\"}"
                      .formatted(each.getKey(), model, provider)))
          .as(each.getKey())
          .isEqualTo(each.getValue().doubleValue());
    }
  }

  @Test
  @DisplayName(
      "composition 1: all layers of an attempt together keep to llm.max-calls-per-execution; what"
          + " is used up is transient")
  void callBudget() throws Exception {
    models.always(error(503, "server_error", "unavailable"));
    worker();
    long id = enqueue(design("-down").replace("max_retries: 10", "max_retries: 2"));
    rows.awaitState(id, "on_hold");

    assertThat(models.requests()).hasSize(5);
    assertThat(rows.of(id, "hold_reason")).isEqualTo("Max retries exceeded: transient");
    assertThat(rows.of(id, "error")).contains("unavailable");
  }

  @Test
  @DisplayName(
      "limits.max_cost_usd: a session that has spent its money waits for a person, unretried")
  void costLimit() throws Exception {
    models.always(toolCall("run_command", "{\"command\": \"true\"}"));
    worker();
    long id = enqueue(design("").replace("{max_retries: 10}", "{max_cost_usd: 0.03}"));
    rows.awaitState(id, "on_hold");

    // A call of gpt-a costs 0.02, and may cost more: what may not fit is not sent.
    assertThat(models.requests()).hasSizeLessThanOrEqualTo(1);
    assertThat(rows.of(id, "hold_reason")).startsWith("budget_exceeded: ticket:" + id);
    assertThat(rows.of(id, "error")).contains(" USD spent of 0.03");
    assertThat(rows.outcomes(id)).containsExactly("failed");
  }

  @Test
  @DisplayName(
      "B11: keys that are refused are called once each, then a person mends the account; no retry"
          + " is used up, the exit code is shown and the key nowhere")
  void refusedKey() throws Exception {
    models.always(
        choose(
            request ->
                error(401, "invalid_api_key", "Incorrect API key provided: " + request.key())));
    HoldfastProcess worker = worker();
    long id = enqueue(design("-refused"));
    rows.awaitState(id, "on_hold");

    assertThat(models.requests().stream().map(ModelRequest::key))
        .as("the key of the one provider, both of the other")
        .containsExactly(SECRET, SECRET + "1", SECRET + "2");
    assertThat(rows.of(id, "hold_reason")).startsWith("account_unavailable: ");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
    assertThat(rows.of(id, "error_category")).isEqualTo("api_error");
    String shown = holdfast.ok("show", Long.toString(id));
    assertThat(shown).contains("EXIT-AUTH-FAILURE");
    assertThat(shown + worker).doesNotContain(SECRET);
  }

  @Test
  @DisplayName("E46: apply_patch has the limits of every patch, unless the design says otherwise")
  void patchLimits() throws Exception {
    String lines = "+x\n".repeat(1001);
    String patch = "--- /dev/null\n+++ b/a.txt\n@@ -0,0 +1,1001 @@\n" + lines;
    String arguments = JsonMapper.shared().createObjectNode().put("patch", patch).toString();
    models.next(
        toolCall("apply_patch", arguments),
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"no\"}"),
        toolCall("apply_patch", arguments),
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"yes\"}"));
    String design =
        """
        kind: agent
        targets: [{provider: openai, model: gpt-p}]
        tools: [apply_patch]
        """;
    long refused = enqueue(design);
    worker();
    rows.awaitState(refused, "needs_review");
    assertThat(models.lastRequest().lastMessage()).contains("the limit is 1000 lines");

    long taken = enqueue(design + "patch: {max_lines: 1001}\n");
    rows.awaitState(taken, "needs_review");
    assertThat(models.lastRequest().lastMessage()).contains("Applied: 1001 lines added");
  }
}
