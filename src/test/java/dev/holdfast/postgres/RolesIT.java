package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.Cli;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.postgresql.ds.PGSimpleDataSource;

@WithDatabase
@EverySetup
class RolesIT {
  private final TestDatabase database;
  private final TestSql owner;
  private final TestTickets tickets;

  RolesIT(TestDatabase database) {
    this.database = database;
    this.owner = new TestSql(database.dataSource());
    this.tickets = new TestTickets(database.dataSource());
  }

  /** Everybody who connects through it has only the role's rights. */
  private TestSql as(String role) {
    return new TestSql(new RoleDataSource(database, role));
  }

  private static final class RoleDataSource extends PGSimpleDataSource {
    private static final long serialVersionUID = 1;
    private final String role;

    RoleDataSource(TestDatabase database, String role) {
      this.role = role;
      setUrl(database.jdbcUrl());
      setUser(database.user());
      setPassword(database.password());
    }

    @Override
    public Connection getConnection() throws SQLException {
      Connection connection = super.getConnection();
      TestSql.column(connection, "SET ROLE " + role);
      return connection;
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO holdfast.tickets (kind) VALUES ('x')",
        "UPDATE holdfast.tickets SET state = 'ready'",
        "DELETE FROM holdfast.tickets",
        "SELECT holdfast.enqueue_ticket(kind => 'x')",
        "SELECT holdfast.release_ticket(1, 'me')",
        "SELECT holdfast.pause_queue('q', 'me')",
        "SELECT holdfast.abort_retry(1, 'me')",
        "SELECT holdfast.set_auto_retry(1, 'me', false)",
        "INSERT INTO holdfast.session_events (ticket_id, lease_no, event, details) VALUES (1, 1,"
            + " 'x', '{}')",
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('d', 1, 'k', '{}')",
        "TRUNCATE holdfast.ticket_base",
      })
  @DisplayName("a viewer reads and cannot write")
  void viewer(String statement) {
    assertThat(as("holdfast_viewer").refusal(statement).sqlState()).isEqualTo("42501");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "tickets",
        "designs",
        "ticket_attempts",
        "ticket_activity",
        "ticket_guidance",
        "queues",
        "session_journal",
        "session_events",
        "retry_aborts",
        "workers",
        "on_hold_tickets",
        "ticket_timeline",
        "queue_health",
        "design_health",
        "retry_outcomes",
        "error_groups",
        "limits",
        "tickets_in_line",
        "waiting_tickets"
      })
  @DisplayName("a viewer, a designer and an operator see everything")
  void reads(String relation) {
    for (String role : List.of("holdfast_viewer", "holdfast_designer", "holdfast_operator")) {
      // As text, so that every column is worked out.
      assertThat(as(role).number("SELECT count(v::text) FROM holdfast." + relation + " v"))
          .isNotNegative();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"holdfast_viewer", "holdfast_designer", "holdfast_operator"})
  @DisplayName("whoever may read can use every command that shows something")
  void commands(String role) throws SQLException {
    Cli cli = cli(role);
    String id = owner.value("SELECT holdfast.enqueue_ticket(kind => 'shown')");
    String batch = owner.value("SELECT holdfast.open_batch('ann', 'shown')");
    for (String command :
        List.of(
            "list",
            "show " + id,
            "limit list",
            "batch list",
            "batch show " + batch,
            "schedule list",
            "budgets",
            "providers",
            "stats")) {
      Cli.Result result = cli.run(command.split(" "));
      assertThat(result.code()).as("%s: %s", command, result.err()).isZero();
    }
  }

  @Test
  @DisplayName("an operator enqueues a file with a design, some with keys")
  void file(@TempDir Path directory) throws IOException {
    new PostgresDesignStore(owner.dataSource()).put("filed", "op", "{\"expires\": \"1h\"}", "ann");
    Path file =
        Files.writeString(
            directory.resolve("tickets.jsonl"),
            """
            {"design": "filed"}
            {"design": "filed", "unique_key": "filed"}
            """);
    Cli.Result result = cli("holdfast_operator").run("enqueue", "--file", file.toString());
    assertThat(result.code()).as(result.err()).isZero();
    assertThat(
            owner.number(
                "SELECT count(*) FROM holdfast.tickets WHERE design = 'filed' AND expires_at >"
                    + " now()"))
        .isEqualTo(2);
  }

  /** The program with only the role's rights. */
  private Cli cli(String role) {
    String url = database.jdbcUrl();
    return new Cli(
        Map.of(
            "HOLDFAST_DATABASE_URL",
            url + (url.contains("?") ? "&" : "?") + "options=-c%20role=" + role,
            "HOLDFAST_DATABASE_USER",
            database.user(),
            "HOLDFAST_DATABASE_PASSWORD",
            database.password()),
        Path.of("no-such-directory"));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "INSERT INTO holdfast.ticket_base (kind) VALUES ('x')",
        "UPDATE holdfast.ticket_base SET state = 'done'",
        "DELETE FROM holdfast.ready",
        "DELETE FROM holdfast.tickets",
        "UPDATE holdfast.leases SET expires_at = now()",
        "INSERT INTO holdfast.ticket_activity (action, actor) VALUES ('released', 'not me')",
        "UPDATE holdfast.queues SET paused_at = now()",
        "UPDATE holdfast.designs SET kind = 'x'",
        "SELECT holdfast.make_claimable(b) FROM holdfast.ticket_base b",
        "SELECT holdfast.edit_ticket(1, '{}')",
        "SELECT holdfast.log_activity(1, 'released', 'not me')",
        "INSERT INTO holdfast.retry_aborts (ticket_id, lease_no, requested_by) VALUES (1, 1, 'not"
            + " me')",
        "DELETE FROM holdfast.session_journal",
        "INSERT INTO holdfast.designs (name, version, kind, definition, created_by) VALUES ('d', 1,"
            + " 'command', '{}', 'ceo')",
        "SELECT holdfast.grant_roles()",
        "SELECT holdfast.start_over(b) FROM holdfast.ticket_base b",
      })
  @DisplayName("an operator cannot touch what lies below the view, nor history")
  void operatorRefused(String statement) {
    assertThat(as("holdfast_operator").refusal(statement).sqlState()).isEqualTo("42501");
  }

  @Test
  @DisplayName(
      "an operator enqueues, edits, releases and pauses with nothing but the operator's rights")
  void operator() {
    TestSql operator = as("holdfast_operator");
    long id = operator.number("INSERT INTO holdfast.tickets (kind) VALUES ('op') RETURNING id");
    assertThat(
            operator.value(
                """
                UPDATE holdfast.tickets SET state = 'on_hold', hold_reason = 'wait', priority = 4 WHERE id = ?
                RETURNING concat_ws('|', state, hold_reason, priority)
                """,
                id))
        .isEqualTo("on_hold|wait|4");
    assertThat(operator.value("SELECT holdfast.release_ticket(?, 'ann', 'go on')", id))
        .isEqualTo("ready");
    assertThat(operator.number("SELECT holdfast.enqueue_ticket(kind => 'op')")).isGreaterThan(id);
    operator.run("SELECT holdfast.pause_queue('default', 'ann')");
    operator.run("SELECT holdfast.resume_queue('default', 'ann')");
    long running = tickets.in(TicketState.IN_PROGRESS);
    assertThat(operator.value("SELECT holdfast.abort_retry(?, 'ann')", running))
        .isEqualTo("in_progress");
    assertThat(operator.value("SELECT holdfast.set_auto_retry(?, 'ann', false)", running))
        .isEqualTo("in_progress");
    assertThat(operator.value("SELECT holdfast.hold_ticket(?, 'ann', 'why')", running))
        .isEqualTo("on_hold");
    assertThat(operator.value("SELECT holdfast.cancel_ticket(?, 'ann')", running))
        .isEqualTo("cancelled");
    long reviewed = tickets.in(TicketState.NEEDS_REVIEW);
    assertThat(operator.value("SELECT holdfast.reject_ticket(?, 'ann', 'no')", reviewed))
        .isEqualTo("ready");
    assertThat(
            operator.value(
                "SELECT holdfast.approve_ticket(?, 'ann')", tickets.in(TicketState.NEEDS_REVIEW)))
        .isEqualTo("done");
  }

  @Test
  @DisplayName(
      "whoever sets the channel by hand is named with it, whichever way they act; a worker, which"
          + " speaks for people, is believed")
  void channel() throws SQLException {
    owner.run(
        """
        CREATE ROLE mallory LOGIN PASSWORD 'mallory-mallory' IN ROLE holdfast_operator;
        CREATE ROLE honest LOGIN PASSWORD 'honest-honest' IN ROLE holdfast_worker;
        """);
    String acts =
        """
        SET holdfast.channel = 'console'; SET holdfast.actor = 'ceo';
        SELECT holdfast.hold_ticket(%1$s, 'ceo', 'why');
        UPDATE holdfast.tickets SET state = 'cancelled' WHERE id = %1$s;
        SELECT holdfast.start_release('ceo', 1, ids => ARRAY[%2$s])
        """;
    try {
      for (String who : List.of("mallory", "honest")) {
        long id = tickets.in(TicketState.READY);
        long held = tickets.in(TicketState.ON_HOLD);
        String said = who.equals("honest") ? "console" : "console, sql: mallory";
        PGSimpleDataSource login = new RoleDataSource(database, who);
        login.setUser(who);
        login.setPassword(who + "-" + who);
        try (Connection connection = login.getConnection()) {
          for (String each : acts.formatted(id, held).split(";\\s*")) {
            TestSql.column(connection, each);
          }
        }
        assertThat(
                owner.column(
                    "SELECT DISTINCT channel FROM holdfast.ticket_activity WHERE ticket_id IN ("
                        + id
                        + ", "
                        + held
                        + ") AND actor = 'ceo'"))
            .as(who)
            .containsExactly(said);
        assertThat(owner.value("SELECT channel FROM holdfast.releases ORDER BY id DESC LIMIT 1"))
            .isEqualTo(said);
      }
    } finally {
      owner.run("DROP OWNED BY mallory, honest; DROP ROLE mallory, honest");
    }
  }

  @Test
  @DisplayName("a designer stores designs in the name of the database user, and nothing else")
  void designer() {
    TestSql designer = as("holdfast_designer");
    assertThat(
            new PostgresDesignStore(designer.dataSource()).put("by", "op", "{}", "ceo").version())
        .isOne();
    assertThat(owner.value("SELECT created_by FROM holdfast.designs WHERE name = 'by'"))
        .isEqualTo(owner.value("SELECT session_user"));
    for (String statement :
        List.of(
            "UPDATE holdfast.designs SET kind = 'x'",
            "DELETE FROM holdfast.designs",
            "INSERT INTO holdfast.tickets (kind) VALUES ('x')",
            "SELECT holdfast.enqueue_ticket(kind => 'x')",
            "SELECT holdfast.approve_ticket(1, 'ceo')",
            "SELECT secret FROM holdfast.web_keys")) {
      assertThat(designer.refusal(statement).sqlState()).as(statement).isEqualTo("42501");
    }
    // A worker speaks for people, whose names it knows.
    new PostgresDesignStore(as("holdfast_worker").dataSource()).put("for", "op", "{}", "bob");
    assertThat(owner.value("SELECT created_by FROM holdfast.designs WHERE name = 'for'"))
        .isEqualTo("bob");
  }

  @Test
  @DisplayName("a producer enqueues the kinds and designs it was granted, in their queues alone")
  void producer() {
    new PostgresDesignStore(owner.dataSource()).put("granted", "op", "{}", "ann");
    new PostgresDesignStore(owner.dataSource()).put("other", "op", "{}", "ann");
    TestSql producer = as("holdfast_producer");
    String kind = "SELECT holdfast.produce_ticket(kind => 'mail', queue => 'shop')";
    assertThat(producer.refusal(kind).sqlState()).isEqualTo("42501");
    owner.run(
        """
        INSERT INTO holdfast.producer_grants (grantee, queue, kind, design)
        VALUES ('holdfast_producer', 'shop', 'mail', NULL), ('holdfast_producer', 'shop', NULL, 'granted'),
          ('holdfast_viewer', 'shop', 'secret', NULL), ('nobody of this name', 'shop', 'secret', NULL)
        """);
    long id = producer.number(kind);
    assertThat(
            owner.value("SELECT concat(kind, queue, state) FROM holdfast.tickets WHERE id = ?", id))
        .isEqualTo("mailshopready");
    assertThat(
            producer.number(
                "SELECT holdfast.produce_ticket(design => 'granted', queue => 'shop', unique_key =>"
                    + " 'produced')"))
        .isGreaterThan(id);
    String after =
        "SELECT holdfast.produce_ticket(kind => 'mail', queue => 'shop', after => ARRAY[%d])";
    long follower = producer.number(after.formatted(id));
    assertThat(
            owner.value(
                "SELECT after_id FROM holdfast.ticket_dependencies WHERE ticket_id = ?", follower))
        .isEqualTo("" + id);
    long foreign =
        owner.number(
            "SELECT holdfast.enqueue_ticket(kind => 'secret', queue => 'shop', unique_key =>"
                + " 'theirs')");
    for (String statement :
        List.of(
            after.formatted(foreign),
            after.formatted(Long.MAX_VALUE),
            "SELECT holdfast.produce_ticket(kind => 'mail', queue => 'shop', unique_key =>"
                + " 'theirs')",
            "SELECT holdfast.produce_ticket(kind => 'mail')",
            "SELECT holdfast.produce_ticket(kind => 'mail', queue => NULL)",
            "SELECT holdfast.produce_ticket(kind => 'secret', queue => 'shop')",
            "SELECT holdfast.produce_ticket(design => 'other', queue => 'shop')",
            "SELECT holdfast.produce_ticket(kind => 'mail', design => 'other', queue => 'shop')",
            "SELECT holdfast.produce_ticket(kind => 'mail', design => 'granted', queue => 'shop')",
            "SELECT holdfast.produce_ticket()",
            "SELECT holdfast.enqueue_ticket(kind => 'mail', queue => 'shop')",
            "INSERT INTO holdfast.tickets (kind, queue) VALUES ('mail', 'shop')",
            "INSERT INTO holdfast.producer_grants (grantee, queue, kind) VALUES ('x', 'y', 'z')",
            "SELECT count(*) FROM holdfast.tickets",
            "SELECT holdfast.approve_ticket(1, 'ceo')",
            "SELECT holdfast.web_key()")) {
      assertThat(producer.refusal(statement).sqlState()).as(statement).isEqualTo("42501");
    }
  }

  @Test
  @DisplayName(
      "grants can be repeated, and take away what was granted by hand: no viewer ever reads the key"
          + " of logins")
  void repeated() throws SQLException, IOException {
    String before = SchemaText.of(database.dataSource());
    owner.run(
        """
        GRANT SELECT ON ALL TABLES IN SCHEMA holdfast TO holdfast_viewer, holdfast_operator;
        GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA holdfast TO holdfast_worker;
        GRANT INSERT ON holdfast.designs TO holdfast_operator;
        GRANT EXECUTE ON ALL FUNCTIONS IN SCHEMA holdfast TO PUBLIC, holdfast_worker;
        """);
    assertThat(SchemaText.of(database.dataSource())).isNotEqualTo(before);
    for (String role : List.of("holdfast_viewer", "holdfast_operator")) {
      assertThat(as(role).column("SELECT secret FROM holdfast.web_keys")).isEmpty();
    }
    for (int i = 0; i < 2; i++) {
      owner.run("SELECT holdfast.grant_roles()");
      assertThat(SchemaText.of(database.dataSource())).isEqualTo(before);
    }
    for (String role : List.of("holdfast_viewer", "holdfast_operator", "holdfast_worker")) {
      assertThat(as(role).refusal("SELECT secret FROM holdfast.web_keys").sqlState())
          .isEqualTo("42501");
    }
    assertThat(as("holdfast_worker").value("SELECT holdfast.web_key()")).isNotEmpty();
  }

  @Test
  @DisplayName("what a superuser makes who migrates belongs to the schema's owner, who goes on")
  void ownership() throws SQLException {
    try (Connection connection = database.dataSource().getConnection()) {
      connection.setAutoCommit(false);
      for (String statement :
          List.of(
              // So the superuser has made everything but the history.
              "ALTER TABLE holdfast.flyway_schema_history OWNER TO holdfast_viewer",
              "CREATE SEQUENCE holdfast.of_a_superuser",
              "SELECT holdfast.grant_roles(only_new => true)")) {
        TestSql.column(connection, statement);
      }
      assertThat(
              TestSql.column(
                  connection,
                  """
                  SELECT p.proname FROM pg_proc p
                  WHERE p.pronamespace = 'holdfast'::regnamespace AND p.proowner <> 'holdfast_viewer'::regrole
                  UNION ALL
                  SELECT c.relname FROM pg_class c
                  WHERE c.relnamespace = 'holdfast'::regnamespace AND c.relowner <> 'holdfast_viewer'::regrole
                  """))
          .isEmpty();
      connection.rollback();
    }
  }

  @Test
  @DisplayName(
      "a worker's rights are enough for a worker: enqueue, COPY, claim, finish, heartbeat, prune")
  void worker() {
    TestTickets worker = new TestTickets(as("holdfast_worker").dataSource());
    for (TicketState state : TicketState.values()) {
      assertThat(worker.in(state)).isPositive();
    }
    PostgresTicketInbox inbox = new PostgresTicketInbox(as("holdfast_worker").dataSource());
    assertThat(
            inbox.enqueueAll(
                List.of(
                        NewTicket.ofKind("by-worker"),
                        NewTicket.ofKind("by-worker").withUniqueKey("by-worker"))
                    .iterator()))
        .isEqualTo(2);
    Migrations.requireCurrent(as("holdfast_worker").dataSource(), "holdfast");
    assertThat(
            as("holdfast_worker").refusal("DELETE FROM holdfast.flyway_schema_history").sqlState())
        .isEqualTo("42501");
  }

  @Test
  @DisplayName(
      "nobody else can execute any function but what the views need of anyone who reads them")
  void functionsAreNotPublic() {
    assertThat(
            owner.column(
                """
                SELECT p.proname FROM pg_proc p
                WHERE p.pronamespace = 'holdfast'::regnamespace AND has_function_privilege('public', p.oid, 'EXECUTE')
                """))
        .containsExactlyInAnyOrder(
            "error_facts", "error_name", "outage_words", "shorten", "with_retry_time");
  }

  @Test
  @DisplayName(
      "every function has a fixed search path that ends with pg_temp, but for those of every"
          + " enqueue, which name the schema or no table at all")
  void searchPaths() {
    assertThat(
            owner.column(
                """
                SELECT p.proname FROM pg_proc p
                WHERE p.pronamespace = 'holdfast'::regnamespace
                  AND NOT ('search_path=holdfast, pg_temp' = ANY (COALESCE(p.proconfig, '{}')))
                ORDER BY p.proname
                """))
        .containsExactly(
            "broken_rule",
            "close_leases",
            "enqueue_ticket",
            "error_facts",
            "error_name",
            "is_claimable_without_keys",
            "kind_of_new_ticket",
            "renew_leases",
            "shorten",
            "store_failures",
            "store_successes",
            "take_tickets",
            "tokens_left",
            "turn_group",
            "wake_workers");
  }

  @Test
  @DisplayName("temporary tables of the caller's cannot divert the filing of a new ticket")
  void filingIsNotDiverted() throws SQLException {
    try (Connection connection = as("holdfast_worker").dataSource().getConnection()) {
      for (String table : List.of("ready", "deferred", "lanes", "workers")) {
        TestSql.column(connection, "CREATE TEMP TABLE %1$s (LIKE holdfast.%1$s)".formatted(table));
      }
      TestSql.column(connection, "SET search_path = pg_temp, holdfast");
      TestSql.column(
          connection, "INSERT INTO holdfast.tickets (kind, queue) VALUES ('divert', 'divert')");
      assertThat(TestSql.column(connection, "SELECT count(*) FROM pg_temp.ready"))
          .containsExactly("0");
    }
    assertThat(owner.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'divert'"))
        .isEqualTo(1);
  }

  @Test
  @DisplayName(
      "operators, functions and types on the caller's search path are not run by enqueue_ticket")
  void enqueueNamesItsOperators() throws SQLException {
    owner.run("SELECT holdfast.enqueue_ticket('named')");
    owner.run(
        """
        CREATE SCHEMA hostile;
        CREATE FUNCTION hostile.same(text, text) RETURNS boolean LANGUAGE plpgsql
          AS $$BEGIN RAISE EXCEPTION 'run as %', current_user; END$$;
        CREATE OPERATOR hostile.= (LEFTARG = text, RIGHTARG = text, FUNCTION = hostile.same);
        CREATE FUNCTION hostile.now() RETURNS timestamptz LANGUAGE plpgsql
          AS $$BEGIN RAISE EXCEPTION 'run as %', current_user; END$$;
        CREATE FUNCTION hostile.pg_notify(text, text) RETURNS void LANGUAGE plpgsql
          AS $$BEGIN RAISE EXCEPTION 'run as %', current_user; END$$;
        CREATE TYPE hostile.jsonb AS (x int);
        CREATE FUNCTION hostile.told(pg_catalog.text) RETURNS boolean LANGUAGE plpgsql
          AS $$BEGIN RAISE EXCEPTION 'run as %', current_user; END$$;
        CREATE DOMAIN hostile.text AS pg_catalog.text CHECK (hostile.told(VALUE));
        GRANT USAGE ON SCHEMA hostile TO holdfast_operator;
        """);
    try (Connection connection = as("holdfast_operator").dataSource().getConnection()) {
      TestSql.column(connection, "SET search_path = hostile, pg_catalog");
      assertThat(
              TestSql.column(
                  connection,
                  "SELECT holdfast.enqueue_ticket(kind => 'named') FROM"
                      + " pg_catalog.generate_series(1, 7)"))
          .hasSize(7);
      assertThat(
              TestSql.column(
                  connection, "SELECT holdfast.enqueue_ticket(kind => 'named', unique_key => 'k')"))
          .hasSize(1);
    } finally {
      owner.run("DROP SCHEMA hostile CASCADE");
    }
    assertThat(owner.number("SELECT count(*) FROM holdfast.ready WHERE kind = 'named'"))
        .isEqualTo(9);
  }

  @Test
  @DisplayName(
      "a caller's search path and temporary tables cannot divert a SECURITY DEFINER function")
  void noDiversion() throws SQLException {
    long id = tickets.in(TicketState.ON_HOLD);
    try (Connection connection = as("holdfast_operator").dataSource().getConnection()) {
      TestSql.column(
          connection, "CREATE TEMP TABLE ticket_activity (LIKE holdfast.ticket_activity)");
      TestSql.column(connection, "SET search_path = pg_temp, holdfast");
      TestSql.column(connection, "SELECT holdfast.release_ticket(?, 'ann')", id);
      assertThat(TestSql.column(connection, "SELECT count(*) FROM pg_temp.ticket_activity"))
          .containsExactly("0");
    }
    assertThat(
            owner.number(
                """
                SELECT count(*) FROM holdfast.ticket_activity WHERE ticket_id = ? AND action = 'released'
                """,
                id))
        .isOne();
  }

  @Test
  @DisplayName(
      "row level security that hides a table from a worker is told, one with a policy for it is"
          + " not")
  void rowSecurity() {
    String policy = "CREATE POLICY all_rows ON holdfast.ready TO holdfast_worker USING (true)";
    DataSource worker = as("holdfast_worker").dataSource();
    owner.run("ALTER TABLE holdfast.ready ENABLE ROW LEVEL SECURITY");
    try {
      assertThatThrownBy(() -> Migrations.requireCurrent(worker, "holdfast"))
          .hasMessageStartingWith("row level security hides all rows of holdfast.ready from");
      owner.run(policy);
      Migrations.requireCurrent(worker, "holdfast");
    } finally {
      owner.run("DROP POLICY IF EXISTS all_rows ON holdfast.ready");
      owner.run("ALTER TABLE holdfast.ready DISABLE ROW LEVEL SECURITY");
    }
  }
}
