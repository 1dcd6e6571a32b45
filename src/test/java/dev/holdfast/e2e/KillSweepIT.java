package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static dev.holdfast.testing.ModelBehaviour.hang;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * kill -9 at every boundary between two steps of a session of up to ten turns. There is one session
 * per boundary; all of them run in one worker until each stands at its own, then the worker is
 * killed once and another one takes over. The model server's own log is the witness.
 */
@Tag("slow")
@WithDatabase
@Timeout(400)
class KillSweepIT {
  private static final int TURNS = 10;

  /** There are some thirty sessions of ten turns, each of which starts programs. */
  private static final Duration PATIENCE = Duration.ofSeconds(150);

  private static final Pattern SESSION = Pattern.compile("session-(\\d+)\\.");
  private static final String DESIGN =
      """
      kind: agent
      targets: [{provider: openai, model: m}]
      tools: [write_file, run_command]
      """;

  /** The rows of the journal, and the end of the ticket, wait where a gate stands. */
  private static final String GATES =
      """
      CREATE TABLE holdfast.sweep_gates (ticket_id bigint, kind text, turn integer);
      CREATE FUNCTION holdfast.sweep_wait(ticket bigint, what text, of_turn integer) RETURNS void
      LANGUAGE plpgsql AS $$
      BEGIN
        IF EXISTS (SELECT FROM holdfast.sweep_gates g
          WHERE g.ticket_id = ticket AND g.kind = what AND g.turn = of_turn) THEN
          PERFORM set_config('lock_timeout', '0', true);
          PERFORM pg_advisory_xact_lock_shared(4711, ticket::integer);
        END IF;
      END $$;
      CREATE FUNCTION holdfast.sweep_row() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM holdfast.sweep_wait(NEW.ticket_id, NEW.kind, (NEW.entry->>'turn')::integer);
        RETURN NEW;
      END $$;
      CREATE FUNCTION holdfast.sweep_end() RETURNS trigger LANGUAGE plpgsql AS $$
      BEGIN
        PERFORM holdfast.sweep_wait(NEW.id, 'finish', 10);
        RETURN NEW;
      END $$;
      CREATE TRIGGER sweep BEFORE INSERT ON holdfast.session_journal
        FOR EACH ROW EXECUTE FUNCTION holdfast.sweep_row();
      CREATE TRIGGER sweep BEFORE UPDATE OF state ON holdfast.ticket_base
        FOR EACH ROW WHEN (NEW.state = 'needs_review') EXECUTE FUNCTION holdfast.sweep_end();
      """;

  /** Where a session's process dies. */
  private enum Point {
    /** The request is with the model, which has not answered: all before it is kept. */
    ASKED,
    /** The model has answered, and its answer is not kept yet: the one call that comes again. */
    ANSWERED,
    /** The answer is kept, the start of its tool is not: the tool has not begun. */
    TOOL_STARTED,
    /** The tool runs. */
    RUNS,
    /** The tool has ended, and its result is not kept yet. */
    TOOL_FINISHED,
    /** The report is kept, the end of the session is not. */
    ENDED,
    /** The end of the session is kept, the ticket's is not. */
    FINISH
  }

  private record Boundary(Point point, int turn) {
    /** Nobody can know what a tool did that was cut off and may not run twice. */
    boolean isUnclear() {
      return !isIdempotent(turn) && (point == Point.RUNS || point == Point.TOOL_FINISHED);
    }

    /** Two turns behind it prove that the session goes on. */
    int lastTurn() {
      return Math.min(TURNS, turn + 2);
    }

    boolean isOfTheDatabase() {
      return point != Point.ASKED && point != Point.RUNS;
    }
  }

  private final TestDatabase database;
  private final TicketRows rows;
  private final List<Boundary> boundaries = boundaries();
  private final Map<Integer, Long> tickets = new HashMap<>();
  private final Map<String, Integer> answered = new ConcurrentHashMap<>();
  private final Set<Integer> asked = ConcurrentHashMap.newKeySet();
  private volatile boolean gatesStand = true;
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;

  KillSweepIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  private static boolean isIdempotent(int turn) {
    return turn % 2 == 0;
  }

  private static List<Boundary> boundaries() {
    List<Boundary> all = new ArrayList<>();
    for (int turn = 1; turn <= TURNS; turn++) {
      all.add(new Boundary(Point.ASKED, turn));
      if (turn < TURNS) {
        all.add(new Boundary(Point.TOOL_FINISHED, turn));
      }
      if (turn < TURNS && !isIdempotent(turn)) {
        all.add(new Boundary(Point.TOOL_STARTED, turn));
        all.add(new Boundary(Point.RUNS, turn));
      }
    }
    all.add(new Boundary(Point.ANSWERED, 3));
    all.add(new Boundary(Point.ENDED, TURNS));
    all.add(new Boundary(Point.FINISH, TURNS));
    return Collections.unmodifiableList(all);
  }

  /** What the model says: one tool call per turn, the report in the session's last. */
  private ModelBehaviour answer(ModelRequest request) {
    Matcher named = SESSION.matcher(request.messages().toString());
    assertThat(named.find()).isTrue();
    int session = Integer.parseInt(named.group(1));
    int turn = request.assistantMessages() + 1;
    Boundary boundary = boundaries.get(session);
    if (gatesStand && boundary.equals(new Boundary(Point.ASKED, turn))) {
      asked.add(session);
      return hang();
    }
    answered.merge(session + "/" + turn, 1, Integer::sum);
    if (turn >= boundary.lastTurn()) {
      return toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}");
    }
    if (isIdempotent(turn)) {
      return toolCall("write_file", "{\"path\": \"t" + turn + ".txt\", \"content\": \"x\"}");
    }
    String wait =
        boundary.equals(new Boundary(Point.RUNS, turn))
            ? "; touch runs; while [ ! -f go ] && [ -e runs ]; do sleep 0.2; done"
            : "";
    return toolCall("run_command", "{\"command\": \"echo " + turn + " >> log.txt" + wait + "\"}");
  }

  @BeforeEach
  void prepare() {
    holdfast = Installation.on(database, directory);
  }

  @Test
  @DisplayName(
      "5.1: kill -9 at every boundary of ten turns: no answered call of a model is asked for again,"
          + " no tool runs twice that may not, an unknown outcome waits for a person; what people"
          + " say at a release and a rejection enters the conversation")
  void sweep() throws Exception {
    models.always(ModelBehaviour.choose(this::answer));
    rows.column(GATES + "SELECT 1");
    holdfast
        .with("OPENAI_API_KEY", "sk-test")
        .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())
        // Each session at a gate of the database keeps a connection.
        .with("HOLDFAST_DATABASE_POOL_SIZE", "30")
        .with("HOLDFAST_WORKER_LEASE", "8s")
        .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s")
        .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms")
        .with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_BASE_DELAY", "50ms");
    Files.writeString(directory.resolve("design.yaml"), DESIGN);
    holdfast.ok("design", "put", "sweep", "--file", "design.yaml");
    try (Connection locks = database.dataSource().getConnection()) {
      enqueue(locks);
      HoldfastProcess worker = holdfast.worker();
      await("every session stands at its boundary")
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(250))
          .untilAsserted(this::assertAllStand);
      worker.signal("KILL");
      worker.awaitOutcome();
      openGates(locks);
    }
    holdfast.with("HOLDFAST_DATABASE_POOL_SIZE", "10").worker();
    await("every session goes on or waits for a person")
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(250))
        .untilAsserted(this::assertAllEnded);
    assertUnclearAreHeld();
    assertNothingTwice();
    rejected();
  }

  /** What a person says at a rejection is part of the conversation that goes on. */
  private void rejected() {
    long id = tickets.getOrDefault(0, 0L);
    int before = models.requests().size();
    rows.value("SELECT holdfast.reject_ticket(?, 'bob', 'shorter, please')", id);
    await("it is asked again").until(() -> models.requests().size() == before + 1);
    rows.awaitState(id, "needs_review");
    ModelRequest last = models.lastRequest();
    assertThat(last.assistantMessages()).isEqualTo(boundaries.getFirst().lastTurn());
    assertThat(last.lastMessage()).contains("bob", "did not accept it", "shorter, please");
  }

  /** A ticket for each boundary, and a gate where it is. */
  private void enqueue(Connection locks) throws Exception {
    for (int session = 0; session < boundaries.size(); session++) {
      Boundary boundary = boundaries.get(session);
      long id =
          Long.parseLong(
              rows.value(
                  "INSERT INTO holdfast.tickets (kind, design_id, payload, state, assignee_type)"
                      + " SELECT 'agent', id, jsonb_build_object('prompt', ?), 'ready', NULL"
                      + " FROM holdfast.designs WHERE name = 'sweep' RETURNING id",
                  "This is session-" + session + "."));
      tickets.put(session, id);
      if (boundary.isOfTheDatabase()) {
        rows.column(
            "INSERT INTO holdfast.sweep_gates VALUES (?, ?, ?)",
            id,
            boundary.point().name().toLowerCase(Locale.ROOT),
            boundary.turn());
        try (var statement = locks.createStatement()) {
          statement.execute("SELECT pg_advisory_lock(4711, " + id + ")");
        }
      }
    }
    rows.column("UPDATE holdfast.tickets SET assignee_type = 'agent' RETURNING id");
  }

  private void assertAllStand() throws IOException {
    Set<String> waiting =
        new HashSet<>(
            rows.column(
                "SELECT objid FROM pg_locks WHERE locktype = 'advisory' AND classid = 4711 AND NOT"
                    + " granted"));
    for (int session = 0; session < boundaries.size(); session++) {
      Boundary boundary = boundaries.get(session);
      boolean stands =
          switch (boundary.point()) {
            case ASKED -> asked.contains(session);
            case RUNS -> {
              Path workspace = workspaceOrNull(session);
              yield workspace != null && Files.exists(workspace.resolve("runs"));
            }
            default -> waiting.contains(String.valueOf(tickets.get(session)));
          };
      assertThat(stands).as("%s", boundary).isTrue();
    }
  }

  private @Nullable Path workspaceOrNull(int session) throws IOException {
    Path root = directory.resolve(".holdfast/agents");
    if (!Files.isDirectory(root)) {
      return null;
    }
    try (Stream<Path> all = Files.list(root)) {
      String name = "ticket-" + tickets.get(session) + "-";
      return all.filter(each -> each.getFileName().toString().startsWith(name))
          .findFirst()
          .orElse(null);
    }
  }

  private Path workspace(int session) throws IOException {
    Path workspace = workspaceOrNull(session);
    assertThat(workspace).isNotNull();
    return workspace;
  }

  /** What the dead worker was about to write is never written. */
  private void openGates(Connection locks) throws Exception {
    gatesStand = false;
    rows.column(
        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND classid ="
            + " 4711 AND NOT granted");
    rows.column("DELETE FROM holdfast.sweep_gates RETURNING 1");
    try (var statement = locks.createStatement()) {
      statement.execute("SELECT pg_advisory_unlock_all()");
    }
    for (int session = 0; session < boundaries.size(); session++) {
      if (boundaries.get(session).point() == Point.RUNS) {
        Files.writeString(workspace(session).resolve("go"), "");
      }
    }
  }

  private void assertAllEnded() {
    List<String> states = rows.column("SELECT id || ' ' || state FROM holdfast.tickets");
    for (int session = 0; session < boundaries.size(); session++) {
      Boundary boundary = boundaries.get(session);
      assertThat(states)
          .as("%s", boundary)
          .contains(tickets.get(session) + (boundary.isUnclear() ? " on_hold" : " needs_review"));
    }
  }

  /** They go on with what a person tells them, and without running the call again. */
  private void assertUnclearAreHeld() {
    for (int session = 0; session < boundaries.size(); session++) {
      if (boundaries.get(session).isUnclear()) {
        long id = tickets.getOrDefault(session, 0L);
        assertThat(rows.of(id, "hold_reason"))
            .startsWith("Unknown whether run_command took effect");
        rows.value("SELECT holdfast.release_ticket(?, 'ann', 'it did, go on')", id);
      }
    }
    for (int session = 0; session < boundaries.size(); session++) {
      rows.awaitState(tickets.getOrDefault(session, 0L), "needs_review");
    }
  }

  private void assertNothingTwice() throws IOException {
    for (int session = 0; session < boundaries.size(); session++) {
      Boundary boundary = boundaries.get(session);
      int last = boundary.lastTurn();
      for (int turn = 1; turn <= last; turn++) {
        boolean lost = boundary.equals(new Boundary(Point.ANSWERED, turn));
        assertThat(answered.get(session + "/" + turn))
            .as("%s: answers of turn %s", boundary, turn)
            .isEqualTo(lost ? 2 : 1);
      }
      assertThat(Files.readAllLines(workspace(session).resolve("log.txt")))
          .as("%s: calls of a tool that may not run twice", boundary)
          .isEqualTo(
              IntStream.range(1, last)
                  .filter(turn -> !isIdempotent(turn))
                  .mapToObj(Integer::toString)
                  .toList());
    }
    List<String> unclear =
        models.requests().stream()
            .map(request -> request.body().toString())
            .filter(body -> body.contains("It is unknown whether this call took effect"))
            .toList();
    assertThat(unclear).isNotEmpty().allMatch(body -> body.contains("it did, go on"));
  }
}
