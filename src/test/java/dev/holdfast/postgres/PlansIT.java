package dev.holdfast.postgres;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.failure.Category;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * What the planner makes of the statements when it is wrong about the tables. Prepared statements
 * are planned once and for long, so the plans of {@code force_generic_plan} are looked at.
 */
@WithDatabase
@EverySetup
class PlansIT {
  private static final int MANY = 5_000;

  /**
   * Calls of the functions that leave out none of their statements; :lease holds the ticket :id. A
   * statement that is not run is not explained.
   */
  private static final Map<String, String> CALLS =
      Map.of(
          "take_tickets",
          "take_tickets('{one}', '{}', 500, 'w', 1000, '{}', 65536, 1000000, 0),"
              + " holdfast.take_tickets('{one}', '{}', 500, 'w', 1000, '{:id}', 65536, 1000000, 0)"
              + " AS behind",
          "store_successes",
          "store_successes('{-1,:id}', '{-1,:lease}', '{done,done}', '{NULL,NULL}', '{:lease,-1}')",
          "store_failures",
          "store_failures(true, '{-1,:id}', '{-1,:lease}', '{1,1}', '{1,1}', '{failed}', '{NULL}',"
              + " '{9}', '{1}', '{\"{}\"}', '{1}', '{0}', '{\"{}\"}', '{\"{}\"}', '{x}', '{x}',"
              + " '{unknown}', '{x}', '{x}', '{NULL}')",
          "close_leases",
          "close_leases('{:lease,-1}')",
          "renew_leases",
          "renew_leases('w', '{:lease}', 1000)",
          "file_copied_tickets",
          "file_copied_tickets(:id + 1)");

  private static final Set<String> NUMBERS =
      Set.of("limit", "only", "page", "after", "done_ms", "cancelled_ms", "age_ms");

  /** Parameters of these statements that are arrays of other things than texts. */
  private static final Map<String, String> ARRAYS =
      Map.of(
          "ids", "bigint[]",
          "leases", "bigint[]",
          "seconds", "bigint[]",
          "delays", "bigint[]");

  private final TestDatabase testDatabase;
  private final TicketDatabase database;

  PlansIT(TestDatabase testDatabase) {
    this.testDatabase = testDatabase;
    this.database = new TicketDatabase(testDatabase);
  }

  @AfterEach
  void empty() {
    database.run(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.leases,"
            + " holdfast.ticket_attempts");
  }

  private void analyze() {
    database.run(
        "VACUUM ANALYZE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.leases,"
            + " holdfast.lanes, holdfast.queues, holdfast.designs, holdfast.ticket_attempts,"
            + " holdfast.ticket_guidance, holdfast.ticket_activity");
  }

  private void fill() {
    database.run(
        """
        WITH added AS (
          INSERT INTO holdfast.ticket_base (filed, kind, priority, retry_after)
          SELECT true, 'many', n % 7, CASE WHEN n % 2 = 0 THEN now() + n * interval '1 minute' END
          FROM generate_series(1, ?) n RETURNING id
        ), ids AS MATERIALIZED (SELECT array_agg(id) AS ids FROM added)
        SELECT holdfast.file_tickets(ids) FROM ids
        """,
        MANY);
  }

  @Test
  @DisplayName(
      "the timeline of a ticket that failed thousands of times is read attempt by attempt, where"
          + " all others failed once")
  void longTimeline() {
    String attempts =
        """
        INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, attempt, worker_id, started_at, finished_at, outcome)
        SELECT %s, n, 1, 'w', now(), now(), 'failed' FROM generate_series(%s) n
        """;
    String decisions =
        """
        INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, details)
        SELECT ticket_id, 'retry_decision', 'system', jsonb_build_object('leaseNo', lease_no)
        FROM holdfast.ticket_attempts WHERE lease_no > ?
        """;
    database.run(attempts.formatted("n", "1, 20000"));
    database.run(decisions, 0);
    analyze();
    database.run(attempts.formatted("-1", "20001, 21000"));
    database.run(decisions, 20_000);

    List<String> plan =
        database.column(
            "EXPLAIN (ANALYZE, TIMING OFF) SELECT * FROM holdfast.ticket_timeline WHERE ticket_id ="
                + " -1");
    assertThat(plan).noneMatch(line -> line.contains("Rows Removed by Join Filter"));
    database.run("DELETE FROM holdfast.ticket_activity WHERE action = 'retry_decision'");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "take_tickets",
        "store_successes",
        "store_failures",
        "finish_given_back",
        "lock_failed",
        "lock_expired",
        "close_leases",
        "applied_before",
        "renew_leases",
        "file_copied_tickets",
        "prune",
        "ended_tickets"
      })
  @DisplayName("statements keep to their indexes, whatever the statistics say")
  void keepToIndexes(String name) throws SQLException {
    List<String> plans = new ArrayList<>();
    plans.add(plan(name));
    analyze();
    plans.add(plan(name));
    database.run("SELECT holdfast.enqueue_ticket('one')");
    analyze();
    plans.add(plan(name));

    assertThat(plans).allSatisfy(plan -> assertKeepsToIndexes(plan, name));
  }

  @Test
  @DisplayName(
      "what a worker calls for every ticket and scans a small table is never compiled, on no"
          + " server")
  void notCompiled() {
    assertThat(
            database.column(
                "SELECT proname FROM pg_proc WHERE pronamespace = 'holdfast'::regnamespace AND"
                    + " 'enable_seqscan=off' = ANY (proconfig) AND NOT 'jit=off' = ANY (proconfig)"
                    + " AND prosrc ~ 'suspects s|wants_wakeup' ORDER BY 1"))
        .isEmpty();
  }

  @Test
  @DisplayName("tickets that stand in line are taken, found by id and left alone by index")
  void lines() throws SQLException {
    database.run("SELECT holdfast.know_lane('default', 'many')");
    database.run("SELECT holdfast.set_limit('queue:default', 'ann', per_key => 1)");
    database.run(
        """
        WITH added AS (
          INSERT INTO holdfast.ticket_base (filed, kind, payload_bytes, concurrency_key)
          SELECT true, 'many', 2, 'k' || n % 500 FROM generate_series(1, 5000) n RETURNING id
        ), ids AS MATERIALIZED (SELECT array_agg(id) AS ids FROM added)
        SELECT holdfast.file_tickets(ids) FROM ids
        """);
    analyze();
    database.run("ANALYZE holdfast.in_line");
    try (Connection connection = testDatabase.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      String taken =
          told(
              session,
              "SELECT FROM holdfast.take_from_lines('{many}', '{}', 100, 1, false, false)");
      long id = number(session, "SELECT max(id) FROM holdfast.in_line");
      String waits =
          explained(session, "SELECT FROM holdfast.waiting_tickets WHERE ticket_id = " + id);
      String others =
          explained(session, "SELECT FROM holdfast.known_waits WHERE kind = 'provider'")
              + told(session, "SELECT FROM holdfast.release_waiting('ann')");
      connection.rollback();
      assertThat(taken)
          .contains("in_line_by_turn", "line_slots_by_queue")
          .doesNotContain("Seq Scan on in_line", "Seq Scan on line_slots", "Bitmap", "JIT:");
      assertThat(waits)
          .contains("in_line_by_turn")
          .doesNotContain("Seq Scan on in_line w", "Seq Scan on ticket_base");
      assertThat(others).doesNotContain("in_line");
    } finally {
      database.run(
          "TRUNCATE holdfast.in_line, holdfast.line_gates, holdfast.line_slots,"
              + " holdfast.claim_limits, holdfast.limit_gates");
    }
  }

  @Test
  @DisplayName("a release in steps chooses from the narrow table of what is held, not the wide one")
  void chosen() throws SQLException {
    try (Connection connection = testDatabase.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      String plans =
          told(session, "SELECT FROM holdfast.choose_held(1, NULL, 'f00df00d', NULL, NULL)");
      connection.rollback();
      assertThat(plans).contains(" on held h").doesNotContain(" on ticket_base");
    }
  }

  @Test
  @DisplayName(
      "who cancels a workflow of thousands of steps looks each up, where few workflows have most"
          + " rows")
  void largeWorkflow() throws SQLException {
    database.run("INSERT INTO holdfast.workflows (ticket_id) VALUES (-1), (-2)");
    String steps =
        """
        INSERT INTO holdfast.ticket_dependencies (ticket_id, after_id, name, item, ended_at)
        SELECT ?, n, 'each', n, CASE WHEN ? THEN now() END FROM generate_series(1, ?) n
        """;
    database.run(steps, -1, true, MANY);
    database.run("ANALYZE holdfast.ticket_dependencies, holdfast.workflows");
    database.run(steps, -2, false, MANY);
    try (Connection connection = testDatabase.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      assertThat(told(session, "SELECT FROM holdfast.lock_what_goes(-2)"))
          .containsPattern(
              "ticket_dependencies_pkey on ticket_dependencies .*\\n *Index Cond: \\(ticket_id = x")
          .doesNotContainPattern("Join Filter: .*\\bx(_\\d+)?\\.id");
    } finally {
      database.run("DELETE FROM holdfast.ticket_dependencies WHERE ticket_id < 0");
      database.run("DELETE FROM holdfast.workflows WHERE ticket_id < 0");
    }
  }

  @Test
  @DisplayName("that a ticket of a large backlog waits for the end of a pause is found by its id")
  void pausedBacklog() throws SQLException {
    fill();
    analyze();
    String ids =
        database.value("SELECT array_agg(id) FROM (SELECT id FROM holdfast.ready LIMIT 5) r");
    database.run("SELECT holdfast.pause_queue('default', 'ann')");
    try (Connection connection = testDatabase.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      assertThat(
              explained(
                  session,
                  "(ANALYZE) SELECT FROM holdfast.waiting_tickets WHERE ticket_id = ANY ('"
                      + ids
                      + "')"))
          .contains("deferred_by_time")
          .as("an index scan by the whole key: by the id alone it would read all of the index")
          .containsPattern(
              "ready_in_claim_order .*\\n *Index Cond: .* AND \\(id = b(_\\d+)?\\.id\\)\\)")
          .as("no step reads a thousand rows")
          .doesNotContainPattern("(actual time=\\S+ rows=|Rows Removed by Filter: )\\d{4,}");
    } finally {
      database.run("SELECT holdfast.resume_queue('default', 'ann')");
    }
  }

  @Test
  @DisplayName("the figures of all queues read each table once, however many queues there are")
  void queueHealth() throws SQLException {
    database.run(
        "INSERT INTO holdfast.queues (name) SELECT 'q' || n FROM generate_series(1, 50) n");
    database.run(
        """
        INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
        SELECT 0, now(), n, 'q' || 1 + n % 50, 'many' FROM generate_series(1, ?) n
        """,
        MANY);
    database.run(
        """
        INSERT INTO holdfast.suspects (priority, created_at, id, queue, kind)
        SELECT 0, now(), n, 'q' || 1 + n % 50, 'many' FROM generate_series(1, 500) n
        """);
    analyze();
    try (Connection connection = testDatabase.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      String plan = explained(session, "(ANALYZE, COSTS OFF) SELECT * FROM holdfast.queue_health");
      assertThat(plan)
          .contains(" on ready r", " on suspects s", " on held h")
          .doesNotContain("held_at")
          .doesNotContainPattern(" on (ready r|suspects s|in_line w) .*loops=([2-9]|[1-9][0-9])");
    } finally {
      database.run("TRUNCATE holdfast.suspects");
      database.run("DELETE FROM holdfast.queues WHERE name LIKE 'q%'");
    }
  }

  @Test
  @DisplayName("the figures of all limits read each table once, however many limits there are")
  void limits() throws SQLException {
    database.run(
        "INSERT INTO holdfast.queues (name) SELECT 'q' || n FROM generate_series(1, 50) n");
    database.run(
        """
        INSERT INTO holdfast.claim_limits (scope, queue, concurrent, set_by)
        SELECT 'queue:q' || n, 'q' || n, 5, 'ann' FROM generate_series(1, 50) n
        """);
    database.run(
        """
        INSERT INTO holdfast.line_gates (line, queue, kind)
        SELECT 1000 + n, 'q' || n, 'many' FROM generate_series(1, 50) n
        """);
    database.run(
        """
        INSERT INTO holdfast.in_line
          (created_at, id, line, priority, turn_group, concurrency_key, design)
        SELECT now(), n, 1001 + n % 50, 0, '-', '', '' FROM generate_series(1, ?) n
        """,
        MANY);
    database.run(
        """
        INSERT INTO holdfast.line_slots (ticket_id, lease_no, queue, concurrency_key, design)
        SELECT n, 1, 'q' || 1 + n % 50, '', '' FROM generate_series(1, 500) n
        """);
    analyze();
    try (Connection connection = testDatabase.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      String plan = explained(session, "(ANALYZE, COSTS OFF) SELECT * FROM holdfast.limits");
      assertThat(plan)
          .contains(" on in_line ", " on line_slots ")
          .doesNotContainPattern(" on (in_line|line_slots) .*loops=([2-9]|[1-9][0-9])");
      assertThat(
              database.number(
                  "SELECT count(*) FROM holdfast.limits WHERE running = 10 AND waiting = "
                      + MANY / 50))
          .isEqualTo(50);
    } finally {
      database.run("TRUNCATE holdfast.in_line, holdfast.line_slots");
      database.run("DELETE FROM holdfast.line_gates WHERE line > 1000");
      database.run("DELETE FROM holdfast.claim_limits");
      database.run("DELETE FROM holdfast.queues WHERE name LIKE 'q%'");
    }
  }

  private static void assertKeepsToIndexes(String plan, String name) {
    // The few workers have no index to look at, nor has a worker's lease among the few.
    assertThat(plan.replace("Seq Scan on workers", "").replace("Seq Scan on leases o ", ""))
        .doesNotContain("Seq Scan", "Bitmap", "Merge Join", "JIT:");
    // The planner may not read a table of tickets without saying which of them it wants.
    Pattern scan =
        Pattern.compile(
            "Index (?:Only )?Scan using (ticket_base_pkey|ready_in_claim_order|deferred_by_time|"
                + "ticket_attempts_pkey|leases_pkey|ticket_activity_by_ticket) .*\n(.*)");
    Matcher scans = scan.matcher(plan);
    int found = 0;
    while (scans.find()) {
      found++;
      assertThat(scans.group(2)).as(plan).contains("Index Cond:");
    }
    assertThat(found).as(plan).isPositive();
    if (name.equals("take_tickets")) {
      assertThat(plan).doesNotContainPattern("Sort.*\n.*Sort Key: [dr]_1");
      assertThat(plan).containsPattern("Index Cond: .*ROW\\(\\(~");
    }
    if (name.equals("store_failures")) {
      assertThat(plan).containsPattern("Hash Cond: \\(.*\\.no = .*\\.no\\)");
      assertThat(plan).containsPattern("Hash Cond: \\(.*failure_no = .*failure_no\\)");
    }
  }

  private String plan(String name) throws SQLException {
    try (Connection connection = testDatabase.dataSource().getConnection();
        Statement session = connection.createStatement()) {
      connection.setAutoCommit(false);
      String plan = CALLS.containsKey(name) ? ofCall(session, name) : ofStatement(session, name);
      connection.rollback();
      return plan;
    }
  }

  private static String ofStatement(Statement session, String name) throws SQLException {
    session.execute("SET plan_cache_mode = force_generic_plan");
    Planned planned = statement(name);
    session.execute(planned.settings());
    session.execute("PREPARE planned (" + planned.types() + ") AS " + planned.text());
    return explained(session, "EXECUTE planned (" + planned.values() + ")");
  }

  /** The plans of all statements that the function runs, as the server tells them while it does. */
  private static String ofCall(Statement session, String name) throws SQLException {
    long id = number(session, "SELECT holdfast.enqueue_ticket('one')");
    long lease =
        number(
            session,
            "SELECT lease_no FROM holdfast.take_tickets('{one}', '{}', 1, 'w', 60000, '{}', 65536,"
                + " 1000000, 0)");
    session.execute("SELECT holdfast.enqueue_ticket('one')");
    session.execute(
        "INSERT INTO holdfast.deferred (run_at, created_at, id, priority, queue, kind) VALUES"
            + " (now(), now(), -1, 0, 'default', 'one')");
    session.execute("INSERT INTO holdfast.ticket_base (filed, kind) VALUES (true, 'one')");
    return told(
        session,
        "SELECT FROM holdfast."
            + requireNonNull(CALLS.get(name))
                .replace(":id", "" + id)
                .replace(":lease", "" + lease));
  }

  private static String explained(Statement session, String statement) throws SQLException {
    StringBuilder plan = new StringBuilder();
    try (ResultSet lines = session.executeQuery("EXPLAIN " + statement)) {
      while (lines.next()) {
        plan.append(lines.getString(1)).append('\n');
      }
    }
    return plan.toString();
  }

  private static String told(Statement session, String statement) throws SQLException {
    session.execute("LOAD 'auto_explain'");
    session.execute("SET auto_explain.log_level = 'notice'");
    session.execute("SET auto_explain.log_nested_statements = on");
    session.execute("SET auto_explain.log_min_duration = 0");
    session.clearWarnings();
    session.execute(statement);
    StringBuilder plans = new StringBuilder();
    for (SQLWarning told = session.getWarnings(); told != null; told = told.getNextWarning()) {
      plans.append(told.getMessage()).append('\n');
    }
    return plans.toString();
  }

  private static long number(Statement session, String sql) throws SQLException {
    try (ResultSet row = session.executeQuery(sql)) {
      row.next();
      return row.getLong(1);
    }
  }

  /** What is run and planned, with $1 ... for its parameters. */
  private record Planned(String settings, String types, String text, String values) {}

  private static Planned statement(String name) {
    List<String> parameters = new ArrayList<>();
    Matcher matcher =
        Pattern.compile("(?<!:):([A-Za-z_]+)")
            .matcher(new Sql("holdfast").load(name).replaceAll("--[^\n]*", ""));
    String text =
        matcher.replaceAll(
            found -> {
              if (!parameters.contains(found.group(1))) {
                parameters.add(found.group(1));
              }
              return "\\$" + (parameters.indexOf(found.group(1)) + 1);
            });
    return new Planned(
        PinnedPlan.pin("SELECT 1"),
        String.join(", ", parameters.stream().map(PlansIT::type).toList()),
        text,
        values(parameters.stream().map(PlansIT::type).toList()));
  }

  private static String type(String parameter) {
    return NUMBERS.contains(parameter) ? "bigint" : ARRAYS.getOrDefault(parameter, "text[]");
  }

  private static String values(List<String> types) {
    return String.join(
        ", ", types.stream().map(each -> each.endsWith("[]") ? "'{}'" : "'500'").toList());
  }

  @Test
  @DisplayName("a worker that idled on an empty database does not scan what comes later")
  void plansOfIdleDays() {
    database.run("ALTER TABLE holdfast.ticket_base SET (autovacuum_enabled = false)");
    database.run("ALTER TABLE holdfast.ready SET (autovacuum_enabled = false)");
    database.run("ALTER TABLE holdfast.deferred SET (autovacuum_enabled = false)");
    analyze();
    try (HikariDataSource one = database.pool(1)) {
      TestQueue queue = TestQueue.on(new TicketDatabase(one));
      TestQueue idle = new TestQueue(queue.queue(), queue.database(), "many");
      for (int i = 0; i < 12; i++) {
        idle.claim(100);
        work(idle, List.of());
      }
      fill();

      long before = rowsScanned(one);
      for (int i = 0; i < 5; i++) {
        work(idle, idle.claim(100));
      }

      assertThat(rowsScanned(one) - before).isLessThan(MANY / 10);
      assertThat(database.number("SELECT count(*) FROM holdfast.ticket_attempts")).isEqualTo(500);
    }
  }

  /**
   * A third succeeds, a third fails, a third is given back; without tickets the empty statements.
   */
  private static void work(TestQueue queue, List<ClaimedTicket> tickets) {
    List<dev.holdfast.queue.Finish> finishes = new ArrayList<>();
    long lease = tickets.isEmpty() ? -1 : tickets.getFirst().lease().no();
    List<Long> ids = new ArrayList<>(tickets.stream().map(ClaimedTicket::id).toList());
    if (ids.isEmpty()) {
      ids.addAll(List.of(-1L, -2L, -3L));
    }
    for (int i = 0; i < ids.size(); i++) {
      long id = ids.get(i);
      finishes.add(
          switch (i % 3) {
            case 0 -> new dev.holdfast.queue.Finish.Succeeded(id, lease, null, Review.NONE, null);
            case 1 ->
                new dev.holdfast.queue.Finish.Failed(
                    id, lease, TestQueue.failure(Category.TRANSIENT, "x"));
            default -> new dev.holdfast.queue.Finish.GivenBack(id, lease);
          });
    }
    queue.queue().finish(finishes, List.of(lease));
    queue.queue().heartbeat(TestQueue.WORKER, List.of(lease), java.time.Duration.ofMinutes(1));
  }

  /** Rows read by sequential scans of the tables that grow, as this connection has told by now. */
  private static long rowsScanned(HikariDataSource one) {
    TicketDatabase database = new TicketDatabase(one);
    database.run("SELECT pg_stat_force_next_flush()");
    return database.number(
        "SELECT sum(seq_tup_read)::bigint FROM pg_stat_user_tables WHERE relname IN"
            + " ('ticket_base', 'ready', 'deferred', 'ticket_attempts', 'leases')");
  }
}
