package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.testing.ModelReply;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.RawModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Which failures a session waits for, and how its waits end: one real worker, one row a ticket. */
@Tag("slow")
@WithDatabase
@Timeout(120)
class WaitsOfSessionsIT {
  private static final String QUICK = "\"session_retry\": {\"base_delay\": \"50ms\"}";
  private static final String SLOW = "\"session_retry\": {\"base_delay\": \"10m\"}";
  private static final String ONE_TRY = "\"limits\": {\"max_retries\": 1}";

  private static final List<String> PROVIDERS =
      List.of(
          "short",
          "few-1",
          "few-2",
          "few-3",
          "last",
          "cut",
          "tool",
          "good",
          "used-up",
          "other",
          "off",
          "aborted",
          "cancelled");

  private final TicketRows rows;
  private final Map<String, AtomicInteger> calls = new ConcurrentHashMap<>();
  @AutoClose private final RawModelServer models = RawModelServer.start(this::answer);
  @AutoClose private final Installation holdfast;

  WaitsOfSessionsIT(TestDatabase database, @TempDir Path directory) throws IOException {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_WORKER_CONCURRENCY", "20")
            .with("HOLDFAST_COOLDOWN_SPREAD", "0")
            .with("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", "14m");
    StringBuilder yaml = new StringBuilder("providers:\n");
    for (String name : PROVIDERS) {
      yaml.append("  ").append(name).append(":\n    type: openai\n    api-key: sk-key\n");
      yaml.append("    base-url: ").append(models.url()).append("/v1\n");
    }
    Files.writeString(directory.resolve("holdfast.yaml"), yaml);
  }

  /** By the model's name and the number of its calls, from 1. */
  private void answer(ModelRequest request, Socket to) throws IOException, InterruptedException {
    String model = request.model();
    int call = calls.computeIfAbsent(model, _ -> new AtomicInteger()).incrementAndGet();
    switch (model) {
      case "short" -> failOnce(call, "retry-after-ms: 800", request, to);
      case "last" -> failOnce(call, "Retry-After: 2", request, to);
      case "few-1", "few-2" -> limited(to, "Retry-After: 50");
      case "cut" -> {
        if (call <= 2) {
          Fault.CUT.answer(request, to);
        } else {
          done(report(), request, to);
        }
      }
      case "tool" -> done(call == 1 ? readsNothing() : report(), request, to);
      case "good" -> broken(call > 1, request, to);
      case "other" -> {
        if (call == 1) {
          Fault.BROKEN.answer(request, to);
        } else {
          RawModelServer.write(
              to, "HTTP/1.1 400 Bad Request", "Connection: close", "", "{\"error\":{}}");
        }
      }
      case "used-up", "off", "aborted", "cancelled" -> broken(false, request, to);
      default -> done(report(), request, to);
    }
  }

  private static void broken(boolean over, ModelRequest request, Socket to)
      throws IOException, InterruptedException {
    if (over) {
      done(report(), request, to);
    } else {
      Fault.BROKEN.answer(request, to);
    }
  }

  private static void limited(Socket to, String header) throws IOException {
    RawModelServer.write(
        to, "HTTP/1.1 429 Too Many Requests", header, "Content-Length: 0", "Connection: close", "");
  }

  private static void failOnce(int call, String header, ModelRequest request, Socket to)
      throws IOException {
    if (call == 1) {
      limited(to, header);
    } else {
      done(report(), request, to);
    }
  }

  private static void done(ModelReply reply, ModelRequest request, Socket to) throws IOException {
    RawModelServer.stream(to, request, reply, 99);
  }

  private static ModelReply report() {
    return ModelReply.calls(
        new ToolCall(
            "call_1", "agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}"));
  }

  private static ModelReply readsNothing() {
    return ModelReply.calls(new ToolCall("call_1", "read_file", "{\"path\": \"missing\"}"));
  }

  private long enqueue(String name, String... fields) {
    return enqueueFor(name, List.of(name), fields);
  }

  /**
   * @param targets each is a provider with a model of the same name
   */
  private long enqueueFor(String name, List<String> targets, String... fields) {
    StringBuilder design = new StringBuilder("{\"kind\": \"agent\", \"review\": \"none\"");
    design.append(
        targets.stream()
            .map(each -> "{\"provider\": \"%s\", \"model\": \"%s\"}".formatted(each, each))
            .collect(Collectors.joining(", ", ", \"targets\": [", "]")));
    for (String field : fields) {
      design.append(", ").append(field);
    }
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'agent',"
            + " ?::jsonb)",
        name,
        design.append("}").toString());
    return rows.enqueue(name, name);
  }

  private List<String> asked(String start) {
    return models.requests().stream()
        .map(ModelRequest::model)
        .filter(each -> each.startsWith(start))
        .toList();
  }

  private long events(long id, String event) {
    return rows.column(
            "SELECT event FROM holdfast.session_events WHERE ticket_id = ? AND event = ?",
            id,
            event)
        .size();
  }

  private List<String> waits(long id) {
    return rows.column(
        "SELECT details->>'message' FROM holdfast.session_events WHERE ticket_id = ? AND"
            + " details->>'source' = 'agent:retry'",
        id);
  }

  private void assertNoWait(long id, String... outcomes) {
    rows.awaitState(id, "done");
    assertThat(waits(id)).isEmpty();
    assertThat(rows.outcomes(id)).containsExactly(outcomes);
  }

  @Test
  @DisplayName(
      "B25, B34, B35, B41, T7, T10: a session waits a second at least where no target is open, and"
          + " neither for targets that it can ask no more, nor behind its last try, nor after"
          + " broken connections, nor for what a tool tells the model")
  void waits() throws Exception {
    holdfast.worker();
    long shortest = enqueue("short");
    long few =
        enqueueFor(
            "few", List.of("few-1", "few-2", "few-3"), "\"limits\": {\"max_retries\": 2}", QUICK);
    long last = enqueue("last", ONE_TRY);
    long cut = enqueue("cut");
    long tool = enqueue("tool", "\"tools\": [\"read_file\"]");

    rows.awaitState(shortest, "done");
    assertThat(waits(shortest))
        .as("B25: longer than the cool-down")
        .singleElement()
        .asString()
        .startsWith("waiting 1000 ms before attempt 2");
    assertNoWait(few, "succeeded");
    assertThat(asked("few")).as("B34").containsExactly("few-1", "few-2", "few-3");
    assertNoWait(last, "deferred", "succeeded");
    assertThat(asked("last")).as("B35").hasSize(2);
    assertNoWait(cut, "succeeded");
    assertThat(asked("cut")).as("B41, T7").hasSize(3);
    assertNoWait(tool, "succeeded");
    assertThat(events(tool, "tool_retry")).as("T10").isZero();
    assertThat(
            rows.value(
                "SELECT details->>'executions' FROM holdfast.session_events WHERE event ="
                    + " 'tool_finished' AND ticket_id = ?",
                tool))
        .isEqualTo("1");
  }

  @Test
  @DisplayName(
      "T14, D11, D21, D30, D39: success, the last retry, another error, a switch, an abort and a"
          + " cancel each end the wait of a real worker's session, once, and its ticket goes on")
  void ends() throws Exception {
    holdfast.with("HOLDFAST_COOLDOWN_WAIT_IN_SESSION", "0s").worker();
    long good = enqueue("good", ONE_TRY, QUICK);
    long usedUp = enqueue("used-up", ONE_TRY, QUICK);
    long other = enqueue("other", ONE_TRY, QUICK);
    long off = enqueue("off", ONE_TRY, SLOW);
    long aborted = enqueue("aborted", ONE_TRY, SLOW);
    long cancelled = enqueue("cancelled", ONE_TRY, SLOW);
    for (long each : List.of(off, aborted, cancelled)) {
      TicketRows.await("the wait of " + each).until(() -> events(each, "auto_retry_start") == 1);
      assertThat(rows.of(each, "state")).as("while it waits").isEqualTo("in_progress");
    }

    rows.value("SELECT holdfast.set_auto_retry(?, 'ann', false)", off);
    rows.value("SELECT holdfast.abort_retry(?, 'ann')", aborted);
    rows.value("SELECT holdfast.cancel_ticket(?, 'ann', 'not needed')", cancelled);

    for (long each : List.of(good, usedUp, other, off, aborted, cancelled)) {
      TicketRows.await("ticket " + each + " goes on")
          .untilAsserted(() -> assertThat(rows.of(each, "state")).isNotEqualTo("in_progress"));
      TicketRows.await("the end of the chain of " + rows.of(each, "queue"))
          .untilAsserted(() -> assertThat(events(each, "auto_retry_end")).isEqualTo(1));
    }
    assertThat(rows.of(good, "state")).isEqualTo("done");
    assertThat(rows.of(cancelled, "state")).isEqualTo("cancelled");
  }
}
