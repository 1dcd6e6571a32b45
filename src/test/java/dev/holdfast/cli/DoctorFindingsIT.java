package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.repair.git.RepositorySource;
import dev.holdfast.repair.git.TicketRepositories;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.git.GitProgram;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Each finding of a real bad day, and that it is gone once its command was run. */
@Order(1) // it waits long
@WithDatabase
@EverySetup
class DoctorFindingsIT {
  private static final Pattern WORD = Pattern.compile("\"[^\"]*\"|\\S+");

  private final TestDatabase database;
  private final Map<String, String> environment;

  DoctorFindingsIT(TestDatabase database) {
    this.database = database;
    this.environment = new HashMap<>(Cli.on(database).environment());
    // Else each look starts three sandboxes, which is most of its work.
    environment.put("HOLDFAST_TOOLS_SANDBOX", "off");
  }

  @BeforeEach
  void empty() throws SQLException {
    sql(
        "TRUNCATE holdfast.ticket_base, holdfast.ready, holdfast.deferred, holdfast.in_line,"
            + " holdfast.ticket_dependencies, holdfast.ticket_deadlines, holdfast.claim_limits"
            + " CASCADE");
  }

  private void sql(String... statements) throws SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      for (String each : statements) {
        statement.execute(each);
      }
    }
  }

  private Cli cli() {
    return new Cli(Map.copyOf(environment), Path.of("no-such-directory"));
  }

  private JsonNode finding(String check, String... options) {
    return finding(look(options), check);
  }

  private JsonNode look(String... options) {
    String[] words =
        Stream.concat(Stream.of("doctor", "--json"), Arrays.stream(options)).toArray(String[]::new);
    return cli().run(words).json();
  }

  private static JsonNode finding(JsonNode all, String check) {
    return all.valueStream()
        .filter(each -> each.get("check").stringValue().equals(check))
        .findFirst()
        .orElseThrow(() -> new AssertionError("no " + check + " in " + all));
  }

  /** A warning, and the command that it names. */
  private String command(String check, String... options) {
    return command(finding(check, options));
  }

  private static String command(JsonNode finding) {
    assertThat(finding.get("status").stringValue()).as("%s", finding).isEqualTo("warn");
    String command = finding.get("command").stringValue();
    assertThat(command).as("%s", finding).isNotEmpty();
    assertThat(finding.get("next_step").stringValue()).endsWith(": " + command);
    return command;
  }

  private void run(String command) throws Exception {
    if (command.startsWith("holdfast ")) {
      String[] words =
          WORD.matcher(command.substring("holdfast ".length()))
              .results()
              .map(word -> word.group().replace("\"", ""))
              .toArray(String[]::new);
      Cli.Result result = cli().run(words);
      assertThat(result.code()).as(result.err()).isZero();
    } else if (command.matches("(?s)[A-Z]{4,} .*")) {
      sql(command);
    } else {
      Process shell = new ProcessBuilder("sh", "-c", command).redirectErrorStream(true).start();
      String output = new String(shell.getInputStream().readAllBytes());
      assertThat(shell.waitFor()).as(output).isZero();
    }
  }

  private void assertMends(String check, String command) throws Exception {
    run(command);
    assertThat(finding(check).get("status").stringValue()).isEqualTo("ok");
  }

  /** Each is warned of, and all is well once the command of each was run. */
  private void assertMends(List<String> checks) throws Exception {
    assertMends(look(), checks);
  }

  private void assertMends(JsonNode found, List<String> checks) throws Exception {
    for (String check : checks) {
      run(command(finding(found, check)));
    }
    JsonNode mended = look();
    assertThat(checks)
        .allSatisfy(
            check ->
                assertThat(finding(mended, check).get("status").stringValue())
                    .as("%s", finding(mended, check))
                    .isEqualTo("ok"));
  }

  @Test
  @DisplayName("issue 20, 2.6: a transaction that is open too long is ended by its command")
  void longTransaction() throws Exception {
    try (Connection open = database.dataSource().getConnection();
        Statement statement = open.createStatement()) {
      open.setAutoCommit(false);
      statement.execute("SET application_name = 'forgotten'");
      statement.execute("SELECT count(*) FROM holdfast.tickets");
      // Another test's transaction may be the oldest, now or a moment later.
      JsonNode finding =
          await()
              .atMost(Duration.ofSeconds(60))
              .until(
                  () -> finding("transactions", "--long-transaction", "1s"),
                  each ->
                      each.get("detail").stringValue().contains("forgotten, idle in transaction"));
      String command = command(finding);
      run(command);
      assertThat(finding("transactions", "--long-transaction", "1s").get("command").stringValue())
          .isNotEqualTo(command);
      await().until(() -> !open.isValid(1));
    }
  }

  @Test
  @DisplayName("issue 20, 2.6: autovacuum off for a table, and its dead rows, are found and mended")
  void vacuum() throws Exception {
    sql(
        "ALTER TABLE holdfast.ticket_activity SET (autovacuum_enabled = off)",
        "INSERT INTO holdfast.ticket_activity (action, actor) SELECT 'a', 'b' FROM"
            + " generate_series(1, 60000)",
        "DELETE FROM holdfast.ticket_activity");
    String reset = command("vacuum");
    assertThat(reset).isEqualTo("ALTER TABLE holdfast.ticket_activity RESET (autovacuum_enabled)");
    // Statistics come a moment after the rows. With autovacuum off nobody else cleans up.
    await()
        .until(
            () ->
                Cli.query(
                        database,
                        "SELECT n_dead_tup >= 60000 FROM pg_stat_all_tables WHERE relid ="
                            + " 'holdfast.ticket_activity'::regclass")
                    .equals("t"));
    run(reset);
    assertMends("vacuum", command("vacuum"));
  }

  @Test
  @DisplayName(
      "a foreign key that keeps tickets beyond their time is found, one that does not is not")
  void references() throws Exception {
    sql(
        "CREATE TABLE public.orders (ticket_id bigint REFERENCES holdfast.ticket_base (id))",
        "CREATE TABLE public.notes (ticket_id bigint REFERENCES holdfast.ticket_base (id) ON DELETE"
            + " CASCADE)");
    try {
      assertThat(finding("references").get("detail").stringValue())
          .endsWith("their time: orders (orders_ticket_id_fkey)");
    } finally {
      sql("DROP TABLE public.orders", "DROP TABLE public.notes");
    }
    assertThat(finding("references").get("status").stringValue()).isEqualTo("ok");
  }

  @Test
  @DisplayName("issue 20, 2.6: notifications of another database do not arrive; of this they do")
  void notifications() {
    environment.put(
        "HOLDFAST_DATABASE_LISTEN_URL", database.jdbcUrl().replaceFirst("/[^/]*$", "/postgres"));
    assertThat(command("notifications")).startsWith("export HOLDFAST_DATABASE_LISTEN_URL=");
    environment.put("HOLDFAST_DATABASE_LISTEN_URL", database.jdbcUrl());
    assertThat(finding("notifications").get("status").stringValue()).isEqualTo("ok");
  }

  @Test
  @DisplayName(
      "issue 20, 2.6: tickets that no worker will ever take: paused, of a wrong kind, due in years,"
          + " without design, for nobody")
  void stranded() throws Exception {
    cli().run("enqueue", "--kind", "command", "--queue", "mail");
    cli().run("pause", "mail");
    assertMends("pauses", command("pauses"));

    sql("TRUNCATE holdfast.ready, holdfast.ticket_base CASCADE");
    cli().run("enqueue", "--kind", "tpyo");
    JsonNode kinds = finding("kinds");
    assertThat(kinds.get("detail").stringValue())
        .contains("no live worker takes 1 of kind tpyo in queue default");
    assertMends("kinds", command(kinds));

    sql(
        "INSERT INTO holdfast.tickets (kind, retry_after) VALUES ('command', now() + interval '9"
            + " years')",
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('gone', 1,"
            + " 'command', '{\"command\": [\"true\"]}')",
        "INSERT INTO holdfast.tickets (design) VALUES ('gone')",
        // As a restore that leaves designs out: else they are kept.
        "SET session_replication_role = replica",
        "DELETE FROM holdfast.designs WHERE name = 'gone'",
        "RESET session_replication_role",
        "INSERT INTO holdfast.tickets (kind, assignee_type) VALUES ('command', NULL)");
    assertMends(List.of("waits", "designs", "assignees"));
  }

  @Test
  @DisplayName(
      "issue 20, 2.6: tickets behind one that is long on hold, behind a limit that does not open,"
          + " expired and not held, and of a clock that was ahead are found, each with what mends"
          + " it")
  void waitsForNothing() throws Exception {
    sql(
        "INSERT INTO holdfast.tickets (kind, state, held_at) VALUES ('command', 'on_hold', now() -"
            + " interval '2 days')");
    sql(
        "SELECT holdfast.enqueue_ticket('command', after => ARRAY(SELECT max(id) FROM"
            + " holdfast.ticket_base))");
    sql("INSERT INTO holdfast.queues (name) VALUES ('rated')");
    sql("SELECT holdfast.set_limit('queue:rated', 'ann', rate => 1, per => interval '300 days')");
    sql("UPDATE holdfast.limit_gates SET full_at = now() + interval '300 days'");
    sql(
        "INSERT INTO holdfast.tickets (kind, queue, created_at) VALUES ('command', 'rated', now() -"
            + " interval '2 days')");
    sql(
        "INSERT INTO holdfast.tickets (kind, expires_at) VALUES ('command', now() + interval '1"
            + " h')");
    sql("UPDATE holdfast.ticket_deadlines SET expires_at = now() - interval '1 h'");
    sql(
        "INSERT INTO holdfast.tickets (kind, retry_after, updated_at) VALUES ('command', now() +"
            + " interval '2 h', now() + interval '1 h')");
    JsonNode found = look();
    assertThat(command(finding(found, "limits"))).isEqualTo("holdfast limit remove queue:rated");
    assertMends(found, List.of("predecessors", "limits", "expiries", "times"));
  }

  @Test
  @DisplayName("issue 20, 2.6: a lease that nobody rescues is found, until a worker does")
  void stuckLease() throws SQLException {
    cli().run("enqueue", "--kind", "command");
    sql(
        "SELECT FROM holdfast.take_tickets('{command}', '{}', 1, 'dead', 60000, '{}', 65536,"
            + " 1000000, 0)",
        "UPDATE holdfast.leases SET expires_at = now() - interval '5 min' WHERE worker_id ="
            + " 'dead'");
    JsonNode leases = finding("leases");
    assertThat(command(leases)).isEqualTo("holdfast worker");
    assertThat(leases.get("detail").stringValue())
        .contains("1 expired, with 1 tickets", "of worker dead");

    TestQueue.on(new TicketDatabase(database)).queue().rescue(10);
    assertThat(finding("leases").get("status").stringValue()).isEqualTo("ok");
  }

  @Test
  @DisplayName("issue 20, 2.6: a sandbox that is off is found")
  void sandboxOff() {
    assertThat(command("sandbox")).isEqualTo("export HOLDFAST_TOOLS_SANDBOX=required");
  }

  @Test
  @DisplayName("issue 20, 2.6: too little room on the disk is found")
  void disk() throws Exception {
    assertThat(finding("disk").get("status").stringValue()).isEqualTo("ok");
    String command = command("disk", "--min-free", "1000000000000");
    assertThat(command).startsWith("du -xhd1 ");
    assertThat(Path.of(command.substring("du -xhd1 ".length()))).isDirectory();
  }

  @Test
  @DisplayName("issue 20, 2.6: worktrees of a repair that has ended are found and deleted")
  void worktrees(@TempDir Path directory) throws Exception {
    run(
        "cd "
            + directory
            + " && git init -q source && cd source && echo 1 > file && git add ."
            + " && git -c user.name=a -c user.email=a@b commit -qm one");
    Path root = directory.resolve("repairs of ann's");
    environment.put("HOLDFAST_REPAIR_WORKSPACE_ROOT", root.toString());
    long id = Long.parseLong(cli().run("enqueue", "--kind", "command").out().strip());
    var repository =
        new TicketRepositories(root, GitProgram.unconfined(System.getenv()))
            .open(
                id,
                new RepositorySource.Local(directory.resolve("source"), "HEAD"),
                Optional.empty());
    Path worktree = repository.worktree("main", repository.baseTree()).directory();
    assertThat(worktree.resolve("file")).exists();
    // Never closed: as a killed worker leaves it.
    assertThat(finding("worktrees").get("status").stringValue()).isEqualTo("ok");
    assertThat(cli().run("cancel", String.valueOf(id), "--reason", "enough").code()).isZero();
    assertMends("worktrees", command("worktrees"));
    assertThat(worktree).doesNotExist();
    assertThat(root.resolve("ticket-" + id).resolve("repository.git")).isDirectory();
  }

  @Test
  @DisplayName("issue 20, 2.6: a viewer is told what the viewer's rights do not show")
  void viewer() throws Exception {
    String name = "doctor_viewer_" + System.nanoTime();
    sql("CREATE ROLE " + name + " LOGIN PASSWORD 'v' IN ROLE holdfast_viewer");
    try {
      environment.put("HOLDFAST_DATABASE_USER", name);
      environment.put("HOLDFAST_DATABASE_PASSWORD", "v");
      Cli.Result result = cli().run("doctor", "--json");
      assertThat(result.code()).isZero();
      assertThat(result.json().size()).isEqualTo(30);
      JsonNode transactions = finding(result.json(), "transactions");
      assertThat(transactions.get("status").stringValue()).isEqualTo("skip");
      run(transactions.get("command").stringValue());
      assertThat(finding("transactions", "--long-transaction", "1h").get("status").stringValue())
          .isEqualTo("ok");
      sql("ALTER TABLE holdfast.ready ENABLE ROW LEVEL SECURITY");
      JsonNode hidden = finding("policies");
      assertThat(hidden.get("status").stringValue()).isEqualTo("fail");
      assertMends("policies", hidden.get("command").stringValue());
      sql("REVOKE USAGE ON SCHEMA holdfast FROM holdfast_viewer");
      assertThat(cli().run("doctor").code()).isEqualTo(1);
      assertMends("roles", finding("roles").get("command").stringValue());
      sql("REVOKE SELECT ON holdfast.leases FROM holdfast_viewer");
      assertThat(finding("leases").toString()).contains("skip", "could not look", "GRANT");
      sql("REVOKE holdfast_viewer FROM " + name);
      assertThat(cli().run("doctor").code()).isEqualTo(1);
      assertMends("roles", finding("roles").get("command").stringValue());
    } finally {
      sql(
          "ALTER TABLE holdfast.ready DISABLE ROW LEVEL SECURITY",
          "SELECT holdfast.grant_roles()",
          "DROP ROLE " + name);
    }
  }

  @Test
  @DisplayName("issue 20, 2.6: a user who may only read by the server's settings is found")
  void readOnly() throws Exception {
    String name = "doctor_reader_" + System.nanoTime();
    String readOnly = " SET default_transaction_read_only = on";
    sql("CREATE ROLE " + name + " LOGIN PASSWORD 'v' IN ROLE holdfast_viewer");
    String here = " IN DATABASE " + Cli.query(database, "SELECT quote_ident(current_database())");
    try {
      environment.put("HOLDFAST_DATABASE_USER", name);
      environment.put("HOLDFAST_DATABASE_PASSWORD", "v");
      for (String where : new String[] {"", here}) {
        sql("ALTER ROLE " + name + where + readOnly);
        JsonNode finding = finding("database");
        assertThat(finding.get("status").stringValue()).as("%s", finding).isEqualTo("fail");
        assertMends("database", finding.get("command").stringValue());
      }
      String url = environment.getOrDefault("HOLDFAST_DATABASE_URL", "");
      environment.put(
          "HOLDFAST_DATABASE_URL",
          url + (url.contains("?") ? "&" : "?") + "options=-c%20default_transaction_read_only=on");
      assertThat(finding("database").toString()).contains("fail", "take it out of database.url");
    } finally {
      sql("DROP ROLE " + name);
    }
  }

  @Test
  @DisplayName("issue 20, 2.6: a locked table costs its own check its time, and no other")
  void locked() throws Exception {
    try (Connection open = database.dataSource().getConnection();
        Statement statement = open.createStatement()) {
      open.setAutoCommit(false);
      statement.execute("LOCK TABLE holdfast.held");
      Cli.Result result = cli().run("doctor");
      assertThat(result.code()).isZero();
      assertThat(result.lines())
          .hasSize(30)
          .anyMatch(line -> line.startsWith("warn  holds: no answer in time"))
          .anyMatch(line -> line.startsWith("ok    leases: "));
    }
  }

  @Test
  @DisplayName("issue 20, 2.6: a server that takes connections and never answers ends with code 4")
  void silent() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      environment.put(
          "HOLDFAST_DATABASE_URL", "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/x");
      Cli.Result result = cli().run("doctor");
      assertThat(result.code()).as(result.out()).isEqualTo(4);
      assertThat(result.lines()).hasSize(5).last().asString().startsWith("fail  database: ");
    }
  }
}
