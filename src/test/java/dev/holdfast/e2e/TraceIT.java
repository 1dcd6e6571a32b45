package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.TraceReceiver.Seen;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** What worker processes and commands tell a collector, and their log in JSON. */
@Tag("slow")
@WithDatabase
@Timeout(180)
class TraceIT {
  private static final String SECRET = "sk-trace-it-secret";
  private static final String CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
  private static final String AGENT =
      """
      kind: agent
      system: You fix what is broken.
      targets: [{provider: openai, model: gpt-a}]
      tools: [write_file]
      review: none
      """;

  /** Fails once, and gives a secret away. */
  private static final String JOB =
      """
      kind: command
      command: [sh, -c, 'echo "{\\"trace\\": \\"$TRACEPARENT\\"}"; [ $HOLDFAST_ATTEMPT = 2 ] || { echo "connection reset by %s" >&2; exit 75; }']
      review: none
      retry: {categories: {transient: {base_delay: 1h}}}
      """
          .formatted(SECRET);

  private final TestDatabase database;
  private final TicketRows rows;
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private final TraceReceiver receiver = TraceReceiver.start();
  @AutoClose private Installation holdfast;

  TraceIT(TestDatabase database) throws IOException {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  @BeforeEach
  void install() {
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", SECRET)
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
  }

  private void putDesign(String name, String text) throws Exception {
    Files.writeString(directory.resolve("design.yaml"), text);
    holdfast.ok("design", "put", name, "--file", "design.yaml");
  }

  @Test
  @DisplayName("a receiver that says nothing does not keep back the id of an enqueued ticket")
  void silentReceiver() throws Exception {
    putDesign("silent-job", JOB);
    try (ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      holdfast.with("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:" + silent.getLocalPort());
      HoldfastProcess enqueue =
          holdfast.start("enqueue", "--design", "silent-job", "--queue", "nobody");
      holdfast.with("OTEL_EXPORTER_OTLP_ENDPOINT", "");
      try (Socket sends = silent.accept()) {
        enqueue.signal("KILL");
        assertThat(enqueue.awaitOutcome().stdout())
            .isEqualTo(rows.value("SELECT max(id) FROM holdfast.tickets") + "\n");
      }
    }
  }

  @Test
  @DisplayName("where traces cannot be sent by the protocol that is asked for, the reason is said")
  void otherProtocol() throws Exception {
    holdfast
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint())
        .with("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
    assertThat(holdfast.run("enqueue", "--kind", "x").stderr())
        .contains("the one OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf, not grpc");
  }

  @Test
  @DisplayName(
      "22.13: enqueue, claims, attempts on two workers, turns, calls of models and tools are one"
          + " trace, which the log names; no secret is in it; without a receiver nothing is sent")
  void oneTrace() throws Exception {
    putDesign("traced-agent", AGENT);
    putDesign("traced-job", JOB);
    String untraced = holdfast.ok("enqueue", "--design", "traced-agent", "--queue", "nobody");
    assertThat(
            rows.value(
                "SELECT count(*) FROM holdfast.ticket_traces WHERE ticket_id = "
                    + untraced.strip()))
        .isEqualTo("0");

    models.nextFor(
        "gpt-a",
        error(503, "server_error", "unavailable"),
        toolCall("write_file", "{\"path\": \"a.txt\", \"content\": \"" + SECRET + "\"}"));
    models.always(
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"fixed\"}"));
    holdfast
        .with("OTEL_EXPORTER_OTLP_ENDPOINT", receiver.endpoint())
        .with("HOLDFAST_LOG_FORMAT", "json")
        .with("TRACEPARENT", CALLER);
    // A process of its own: what it sends, it sends at its end.
    String job =
        holdfast.run("enqueue", "--design", "traced-job", "--queue", "traced").stdout().strip();
    Files.writeString(
        directory.resolve("many.jsonl"),
        "{\"design\": \"traced-job\", \"queue\": \"nobody\", \"title\": \"many\"}\n".repeat(3));
    holdfast.run("enqueue", "--file", "many.jsonl");
    Files.writeString(
        directory.resolve("graph.jsonl"),
        """
        {"design": "traced-job", "queue": "nobody", "title": "graph", "name": "a"}
        {"design": "traced-job", "queue": "nobody", "title": "graph", "after": ["a"]}
        """);
    holdfast.run("enqueue", "--file", "graph.jsonl");
    holdfast.with("TRACEPARENT", "");
    assertMany("many", 3, "enqueue batch");
    assertMany("graph", 2, "enqueue graph");
    long agent = rows.enqueue("traced-agent", "traced");

    HoldfastProcess first = holdfast.start("worker", "--port", "0", "--queue", "traced");
    first.awaitConsole();
    rows.awaitState(agent, "done");
    awaitFailure(job);
    first.signal("TERM");
    first.awaitExit(Duration.ofSeconds(20));
    HoldfastProcess second = holdfast.start("worker", "--port", "0", "--queue", "traced");
    second.awaitConsole();
    rows.value("SELECT holdfast.abort_retry(?::bigint, 'ann')", job);
    rows.awaitState(Long.parseLong(job), "done");
    String posted = post(second);
    awaitFailure(posted);
    second.signal("TERM");
    second.awaitExit(Duration.ofSeconds(20));

    Seen enqueue =
        receiver.named("enqueue traced").stream()
            .filter(each -> job.equals(each.get("messaging.message.id")))
            .findFirst()
            .orElseThrow(
                () -> new AssertionError("no enqueue of " + job + " in " + receiver.text()));
    assertThat(enqueue.parent()).isEqualTo("b7ad6b7169203331");
    assertThat(enqueue.get("messaging.message.id")).isEqualTo(job);
    List<Seen> attempts = attemptsOf(job);
    assertThat(attempts).hasSize(2);
    assertThat(attempts)
        .allSatisfy(
            attempt -> {
              assertThat(attempt.trace()).isEqualTo("0af7651916cd43dd8448eb211c80319c");
              assertThat(attempt.parent()).isEqualTo(enqueue.id());
              assertThat(attempt.links())
                  .singleElement()
                  .satisfies(
                      link ->
                          assertThat(receiver.named("claim").stream().map(Seen::id))
                              .contains(link));
            });
    assertThat(attempts.get(0).get("error.type")).isEqualTo("transient");
    assertThat(attempts.get(0).get("holdfast.outcome")).isEqualTo("failed");
    assertThat(attempts.get(1).get("holdfast.outcome")).isEqualTo("succeeded");
    assertThat(attempts.get(0).get("messaging.client.id"))
        .isNotEqualTo(attempts.get(1).get("messaging.client.id"));
    assertThat(rows.of(Long.parseLong(job), "result->>'trace'"))
        .as("what the program is told")
        .isEqualTo("00-" + enqueue.trace() + "-" + attempts.get(1).id() + "-01");
    assertThat(receiver.named("claim").stream().flatMap(claim -> claim.links().stream()))
        .contains(enqueue.id());
    assertThat(attemptsOf(posted).getFirst().trace()).isEqualTo("11111111111111111111111111111111");

    assertAgent(agent);
    assertThat(receiver.text()).contains("holdfast").doesNotContain(SECRET);
    assertLog(first, attempts.get(0));
    assertThat(rows.of(Long.parseLong(untraced), "state")).isEqualTo("ready");
  }

  /** All below one span, which is below the caller's. */
  private void assertMany(String title, int count, String span) {
    Seen enqueue = receiver.only(span);
    assertThat(enqueue.parent()).isEqualTo("b7ad6b7169203331");
    assertThat(
            rows.column(
                "SELECT x.traceparent FROM holdfast.ticket_traces x JOIN holdfast.tickets t ON"
                    + " t.id = x.ticket_id WHERE t.title = ?",
                title))
        .hasSize(count)
        .containsOnly("00-" + enqueue.trace() + "-" + enqueue.id() + "-01");
  }

  private void awaitFailure(String ticket) {
    TicketRows.await("the first attempt has failed")
        .until(() -> rows.outcomes(Long.parseLong(ticket)).contains("failed"));
  }

  private List<Seen> attemptsOf(String ticket) {
    return receiver.named("attempt traced-job").stream()
        .filter(each -> ticket.equals(each.get("holdfast.ticket.id")))
        .toList();
  }

  /** A ticket of a plain INSERT: its attempt begins the trace. */
  private void assertAgent(long agent) {
    Seen attempt = receiver.only("attempt traced-agent");
    assertThat(attempt.parent()).isEmpty();
    assertThat(attempt.get("holdfast.ticket.id")).isEqualTo(Long.toString(agent));
    assertThat(attempt.get("gen_ai.operation.name")).isEqualTo("invoke_agent");
    assertThat(attempt.get("gen_ai.agent.name")).isEqualTo("traced-agent");
    List<Seen> turns = receiver.named("turn");
    assertThat(turns).hasSize(2);
    assertThat(turns).allSatisfy(turn -> assertThat(turn.parent()).isEqualTo(attempt.id()));
    List<Seen> calls = receiver.named("chat gpt-a");
    assertThat(calls)
        .extracting(Seen::parent)
        .containsExactly(turns.get(0).id(), turns.get(0).id(), turns.get(1).id());
    assertThat(calls.get(0).get("error.type")).isEqualTo("model_error");
    assertThat(calls.get(0).get("http.response.status_code")).isEqualTo("503");
    assertThat(calls.get(1).get("gen_ai.provider.name")).isEqualTo("openai");
    assertThat(calls.get(1).get("gen_ai.usage.output_tokens")).isEqualTo("5");
    Seen tool = receiver.only("execute_tool write_file");
    assertThat(tool.parent()).isEqualTo(turns.get(0).id());
    assertThat(tool.get("gen_ai.tool.name")).isEqualTo("write_file");
    assertThat(List.of(attempt, turns.get(1), calls.get(2), tool))
        .extracting(Seen::trace)
        .containsOnly(attempt.trace());
  }

  private static void assertLog(HoldfastProcess worker, Seen attempt) {
    List<JsonNode> lines =
        worker.stderr().lines().map(line -> JsonMapper.shared().readTree(line)).toList();
    assertThat(lines).isNotEmpty();
    assertThat(worker.stderr()).doesNotContain(SECRET);
    assertThat(lines)
        .as("a line of the session")
        .anySatisfy(
            line -> {
              assertThat(line.path("formattedMessage").asString()).startsWith("try 2 of openai");
              assertThat(line.path("mdc").path("ticket").asString()).isNotEmpty();
              assertThat(line.path("mdc").path("attempt").asString()).isEqualTo("1");
              assertThat(line.path("mdc").path("trace_id").asString())
                  .hasSize(32)
                  .isNotEqualTo(attempt.trace());
            });
  }

  private static String post(HoldfastProcess worker) throws Exception {
    HttpRequest request =
        worker
            .request("/api/v1/tickets")
            .header("Content-Type", "application/json")
            .header("traceparent", "00-11111111111111111111111111111111-2222222222222222-01")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"design\": \"traced-job\", \"queue\": \"traced\"}"))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<String> answer = http.send(request, HttpResponse.BodyHandlers.ofString());
      assertThat(answer.statusCode()).as(answer.body()).isEqualTo(201);
      return JsonMapper.shared().readTree(answer.body()).path("id").asString();
    }
  }
}
