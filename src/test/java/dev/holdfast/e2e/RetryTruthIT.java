package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.testing.ModelReply;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.RawModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The first attempt of an agent's ticket whose model fails in one way all the time: each fault,
 * with one and two targets, one and two keys, in one real worker with default settings. The page
 * {@code docs/model-failures.md} is what this test sees: where they differ, the test fails, and
 * {@code -Dretries.write=true} writes the page anew.
 */
@Tag("slow")
@WithDatabase
@Timeout(600)
@Order(1) // it waits long
class RetryTruthIT {
  /** Nothing is claimed twice: the claim of a queue's only ticket pauses the queue. */
  private static final String CLAIMED_ONCE =
      """
      CREATE FUNCTION holdfast.pause_behind_claim() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM holdfast.pause_queue(b.queue, 'test') FROM holdfast.ticket_base b
        WHERE b.id = ANY (NEW.ids) AND b.queue <> 'warm';
        RETURN NULL;
      END $$;
      CREATE TRIGGER pause_behind_claim AFTER INSERT ON holdfast.leases
        FOR EACH ROW EXECUTE FUNCTION holdfast.pause_behind_claim();
      """;

  /** What waits still does so when people look. */
  private static final String WAITS_STAY =
      """
      UPDATE holdfast.tickets SET retry_after = now() + interval '1 hour'
      WHERE state = 'ready' AND queue <> 'warm' RETURNING id
      """;

  private static final String WAITS_FOR_PROVIDER =
      "SELECT EXISTS (SELECT FROM holdfast.ticket_waits WHERE ticket_id = ? AND kind ="
          + " 'provider')::text";

  private static final Duration PATIENCE = Duration.ofSeconds(400);
  private static final String REPORT = "{\"status\": \"success\", \"content\": \"done\"}";

  private static final Pattern ENDS =
      Pattern.compile("failed: |deferred: |attempt \\d+ succeeded|; retry |on_hold|on hold");

  private final TestDatabase database;
  private final TicketRows rows;
  private final Map<Fault, Map<TargetsAndKeys, Long>> tickets = new EnumMap<>(Fault.class);
  private final ConcurrentLinkedQueue<String> told = new ConcurrentLinkedQueue<>();
  private final HttpServer receiver;
  @TempDir private Path directory;
  @AutoClose private final RawModelServer models = RawModelServer.start(RetryTruthIT::answer);
  @AutoClose private Installation holdfast;

  RetryTruthIT(TestDatabase database) throws IOException {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
    this.receiver =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    receiver.createContext(
        "/",
        exchange -> {
          told.add(new String(exchange.getRequestBody().readAllBytes(), StandardCharsets.UTF_8));
          exchange.sendResponseHeaders(204, -1);
          exchange.close();
        });
    receiver.start();
  }

  @AfterEach
  void stop() {
    receiver.stop(0);
  }

  private static void answer(ModelRequest request, Socket to)
      throws IOException, InterruptedException {
    String[] model = request.model().split("\\.");
    Fault fault = Fault.valueOf(model[1]);
    boolean works = model[0].equals("spare") || (fault.ofTheKey() && request.key().endsWith("2"));
    if (works) {
      RawModelServer.stream(
          to, request, ModelReply.calls(new ToolCall("call_1", "agent__final_report", REPORT)), 99);
    } else {
      fault.answer(request, to);
    }
  }

  @BeforeEach
  void configure() throws IOException {
    int closed;
    try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = free.getLocalPort();
    }
    StringBuilder yaml = new StringBuilder("providers:\n");
    provider(yaml, "spare", "openai", models.url(), 1);
    provider(yaml, "spare-anthropic", "anthropic", models.url(), 1);
    for (Fault fault : Fault.values()) {
      for (TargetsAndKeys setup : TargetsAndKeys.values()) {
        String url = fault == Fault.REFUSED ? "http://127.0.0.1:" + closed : models.url();
        provider(yaml, fault.provider(setup), fault.type(), url, setup.keys());
      }
    }
    Files.writeString(directory.resolve("holdfast.yaml"), yaml);
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_WEBHOOKS_URL", "http://127.0.0.1:" + receiver.getAddress().getPort())
            .with("HOLDFAST_WEBHOOKS_GROUP_WAIT", "0s")
            .with("HOLDFAST_WEBHOOKS_SECRET", "a-secret-of-the-webhook");
  }

  private static void provider(StringBuilder yaml, String name, String type, String url, int keys) {
    String base = type.equals("anthropic") ? url : url + "/v1";
    yaml.append("  ").append(name).append(":\n    type: ").append(type);
    yaml.append("\n    base-url: ").append(base);
    yaml.append("\n    api-keys: [sk-key-1").append(keys == 2 ? ", sk-key-2" : "").append("]\n");
  }

  /**
   * Those of one setup after the other, for the first calls of all at once make each other late.
   */
  private void enqueue() {
    Arrays.stream(Fault.values())
        .forEach(fault -> tickets.put(fault, new EnumMap<>(TargetsAndKeys.class)));
    for (TargetsAndKeys setup : TargetsAndKeys.values()) {
      for (Fault fault : Fault.values()) {
        String name = fault.provider(setup);
        rows.column(
            "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'agent',"
                + " ?::jsonb)",
            name,
            design(fault, setup));
        Objects.requireNonNull(tickets.get(fault)).put(setup, rows.enqueue(name, name));
      }
      TicketRows.await("all with " + setup.words() + " have called").until(() -> haveCalled(setup));
    }
  }

  private boolean haveCalled(TargetsAndKeys setup) {
    long called =
        models.requests().stream()
            .map(ModelRequest::model)
            .filter(model -> model.endsWith("." + setup.name()))
            .map(model -> model.split("\\.")[1])
            .distinct()
            .count();
    // Who is refused a connection cannot be heard.
    return called >= Fault.values().length - 1;
  }

  private static String design(Fault fault, TargetsAndKeys setup) {
    String row = "." + fault.name() + "." + setup.name();
    String first =
        "{\"provider\": \"" + fault.provider(setup) + "\", \"model\": \"first" + row + "\"}";
    String second =
        setup.targets() == 2 ? ", {\"provider\": \"spare\", \"model\": \"spare" + row + "\"}" : "";
    List<String> limits = new ArrayList<>();
    if (fault.inFinalTurn()) {
      limits.add("\"max_turns\": 1");
    }
    if (fault == Fault.SILENT) {
      limits.add("\"llm_timeout\": \"4s\"");
    }
    return "{\"kind\": \"agent\", \"targets\": ["
        + first
        + second
        + "], \"limits\": {"
        + String.join(", ", limits)
        + "}}";
  }

  @Test
  @DisplayName(
      "B4, B14, B15, B30, B31, B32, B41, B56, T4, T5, T7, T20: docs/model-failures.md says what a"
          + " real worker does with each fault, and what people see of it")
  void counts() throws Exception {
    HoldfastProcess worker = holdfast.worker();
    HoldfastProcess watch = holdfast.start("watch");
    warmUp(watch);
    rows.column(CLAIMED_ONCE);
    enqueue();
    TicketRows.await("all first attempts have ended").atMost(PATIENCE).until(this::isOver);
    rows.column(WAITS_STAY);
    for (Fault fault : Fault.values()) {
      long id = ticket(fault, TargetsAndKeys.ONE_ONE);
      TicketRows.await("all of ticket " + id + " is told")
          .untilAsserted(() -> assertTold(id, watch));
      if (rows.value(WAITS_FOR_PROVIDER, id).equals("true")) {
        TicketRows.await("the worker has read that " + id + " waits")
            .until(() -> isOut(worker, fault.provider(TargetsAndKeys.ONE_ONE)));
      }
    }
    RetryPage page = RetryPage.read();
    RetrySeen seen = new RetrySeen(rows, worker, watch, List.copyOf(told), models.requests());
    for (Fault fault : Fault.values()) {
      for (TargetsAndKeys setup : TargetsAndKeys.values()) {
        page.row(fault, setup, seen.row(fault, setup, ticket(fault, setup)));
      }
      long id = ticket(fault, TargetsAndKeys.ONE_ONE);
      page.people(seen.people(fault, id, holdfast.ok("show", Long.toString(id))));
    }
    page.check();
  }

  private static boolean isOut(HoldfastProcess worker, String provider)
      throws IOException, InterruptedException {
    String metric = "holdfast_provider_outage_seconds{provider=\"" + provider + "\"}";
    return worker
        .get("/metrics")
        .body()
        .lines()
        .anyMatch(line -> line.startsWith(metric) && !line.endsWith(" 0.0"));
  }

  private long ticket(Fault fault, TargetsAndKeys setup) {
    return Objects.requireNonNull(Objects.requireNonNull(tickets.get(fault)).get(setup));
  }

  /** The first call of a process loads a thousand classes. */
  private void warmUp(HoldfastProcess watch) {
    TicketRows.await("watch sees new tickets")
        .until(
            () -> {
              rows.value("SELECT holdfast.enqueue_ticket(kind => 'nobody', queue => 'warm')");
              return watch.stdout().contains(" ready in queue ");
            });
    for (String provider : List.of("spare", "spare-anthropic")) {
      rows.column(
          "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'agent',"
              + " ?::jsonb)",
          provider,
          "{\"kind\": \"agent\", \"targets\": [{\"provider\": \""
              + provider
              + "\", \"model\": \"spare.LIMITED.WARM\"}]}");
      rows.awaitState(rows.enqueue(provider, "warm"), "needs_review");
    }
  }

  /** Events come in their own time, and so does a hold's webhook. Retries are told in words. */
  private void assertTold(long id, HoldfastProcess watch) {
    List<String> lines =
        watch.stdout().lines().filter(line -> line.contains(" #" + id + " ")).toList();
    String stored =
        rows.value(
            "SELECT string_agg(event, ' ' ORDER BY id) FROM holdfast.session_events WHERE ticket_id"
                + " = ? AND event NOT LIKE '%retry%'",
            id);
    String[] events = stored.replace('_', '.').split(" ");
    Pattern told = Pattern.compile(" (" + String.join("|", events) + "): ");
    assertThat(lines.stream().filter(line -> told.matcher(line).find()))
        .as(stored)
        .hasSameSizeAs(events);
    assertThat(lines).anyMatch(line -> ENDS.matcher(line).find());
    if (rows.of(id, "state").equals("on_hold")) {
      assertThat(this.told).anyMatch(each -> each.contains("\"subject\":\"" + id + "\""));
    }
  }

  private boolean isOver() {
    return rows.value(
            "SELECT count(*) FROM holdfast.tickets WHERE state = 'in_progress' OR (attempt_count"
                + " = 0 AND kind <> 'nobody')")
        .equals("0");
  }
}
