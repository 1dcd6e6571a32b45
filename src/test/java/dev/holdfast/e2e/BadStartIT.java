package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** What stops a worker's start: one line that names the next step, and no secret in it. */
@WithDatabase
@Timeout(180)
class BadStartIT {
  private static final String SECRET = "hunter2-x";

  private final TestDatabase database;
  private final TicketRows rows;
  @TempDir private Path directory;
  @AutoClose private Installation holdfast;

  BadStartIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketRows(database.dataSource());
  }

  @BeforeEach
  void prepare() {
    holdfast = Installation.on(database, directory);
  }

  @Test
  @DisplayName(
      "a database that nobody serves: exit 4, the error's and not that of the worker's hook")
  void unreachable() throws Exception {
    int closed;
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      closed = socket.getLocalPort();
    }
    holdfast
        .with("HOLDFAST_DATABASE_URL", "postgres://ann:" + SECRET + "@127.0.0.1:" + closed + "/db")
        .with("HOLDFAST_DATABASE_USER", "")
        .with("HOLDFAST_DATABASE_PASSWORD", "");
    assertRefused(4, "cannot reach the database", "HOLDFAST_DATABASE_URL");
  }

  @Test
  @DisplayName(
      "no database named: exit 2, which no supervisor tries again; doctor checks the machine all"
          + " the same")
  void noDatabase() throws Exception {
    Path file = Files.writeString(directory.resolve("a-file"), "");
    holdfast
        .with("HOLDFAST_DATABASE_URL", "")
        .with("HOLDFAST_AGENTS_WORKSPACE_ROOT", file.resolve("agents").toString());
    assertRefused(2, "no database", "--embedded");
    Outcome doctor = holdfast.ask("doctor");
    assertThat(doctor.exit()).isEqualTo(4);
    assertThat(doctor.stdout())
        .contains("java: Java 2", "sandbox: ", "fail  database: no database: set HOLDFAST_DATABASE")
        .contains("warn  directories: ", "cannot make " + file.resolve("agents"));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  @DisplayName("an embedded database of somebody else: it says whose it is, not that there is none")
  void databaseOfAnother() throws Exception {
    holdfast.with("HOLDFAST_DATABASE_URL", "");
    Path home = Files.createDirectories(directory.resolve(".holdfast"));
    Path file = Files.writeString(home.resolve("embedded.json"), "{}");
    String owner = Files.getOwner(file).getName();
    Files.setPosixFilePermissions(file, Set.of());
    if (owner.equals("root")) {
      holdfast.through("setpriv", "--bounding-set=-dac_override,-dac_read_search");
    }
    String[] truth = {
      ".holdfast/embedded.json belongs to " + owner + " and cannot be read", "HOLDFAST_DATABASE_URL"
    };
    assertOneLine(holdfast.run("list"), 4, truth);
    assertRefused(2, truth);
  }

  @Test
  @DisplayName("a password that is refused: exit 4, and it is not printed, --verbose or not")
  void wrongPassword() throws Exception {
    assumeTrue(!database.password().isEmpty(), "a server that asks for passwords");
    holdfast.with("HOLDFAST_DATABASE_PASSWORD", SECRET);
    assertRefused(4, "password authentication failed", "HOLDFAST_DATABASE_PASSWORD");
    Outcome verbose = holdfast.ask("list", "--verbose");
    assertThat(verbose.exit()).isEqualTo(4);
    assertThat(verbose.stderr()).contains("\tat ");
    assertThat(verbose.printed()).doesNotContain(SECRET);
  }

  @Test
  @DisplayName(
      "no schema: it says to run holdfast migrate, which makes it; a token that cannot be kept"
          + " starts a worker, and none is said to be in a file")
  void noSchema() throws Exception {
    Files.writeString(directory.resolve(".holdfast"), "no directory");
    rows.column("ALTER SCHEMA holdfast RENAME TO elsewhere");
    try {
      assertRefused(1, "no schema holdfast", "run: holdfast migrate");
      assertOneLine(holdfast.ask("list"), 1, "schema is missing", "run: holdfast migrate");
      assertOneLine(holdfast.ask("show", "1"), 1, "schema is missing", "run: holdfast migrate");
      assertThat(holdfast.ask("migrate").exit()).isZero();
      HoldfastProcess worker = holdfast.start("worker", "--port", "0").awaitListening();
      worker.get("/health/live");
      worker.signal("TERM");
      Outcome outcome = worker.awaitOutcome();
      assertThat(outcome.stderr()).contains("the API's token cannot be kept in");
      assertThat(outcome.stdout()).doesNotContain("token is in");
    } finally {
      holdfast.close();
      rows.column("DROP SCHEMA holdfast CASCADE");
      rows.column("ALTER SCHEMA elsewhere RENAME TO holdfast");
    }
  }

  @Test
  @DisplayName("a schema from a newer version is not touched")
  void newerSchema() throws Exception {
    rows.column(
        "INSERT INTO holdfast.flyway_schema_history SELECT installed_rank + 1, '99', description,"
            + " type, script, checksum, installed_by, installed_on, execution_time, success FROM"
            + " holdfast.flyway_schema_history ORDER BY installed_rank DESC LIMIT 1");
    try {
      assertWords(1, "version 99, newer than this Holdfast knows", "install a newer Holdfast");
    } finally {
      rows.column("DELETE FROM holdfast.flyway_schema_history WHERE version = '99'");
    }
  }

  @Test
  @DisplayName("a schema of a development build: worker and migrate name the way out in one line")
  void developmentBuild() throws Exception {
    String rename = "UPDATE holdfast.flyway_schema_history SET script = '%s' WHERE version = '1'";
    rows.column(rename.formatted("V1__create_tables.sql"));
    try {
      String[] wayOut = {
        "a development build before Holdfast 0.1 made the schema holdfast",
        "ALTER SCHEMA holdfast RENAME TO holdfast_old",
        "holdfast migrate --from holdfast_old.tickets"
      };
      assertWords(1, wayOut);
      assertOneLine(holdfast.ask("migrate"), 1, wayOut);
      assertOneLine(holdfast.ask("list"), 1, wayOut);
    } finally {
      rows.column(rename.formatted("V1__tickets.sql"));
    }
  }

  @Test
  @DisplayName("a port that is taken: no ticket is claimed before that is known")
  void portTaken() throws Exception {
    rows.addDesign("true", Job.of(directory, "true"));
    long id = rows.enqueue("true", "port");
    try (ServerSocket taken = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      Outcome outcome = holdfast.run("worker", "--port", String.valueOf(taken.getLocalPort()));
      assertOneLine(outcome, 1, "port " + taken.getLocalPort(), "--port");
      assertThat(rows.of(id, "state || ' ' || attempt_count")).isEqualTo("ready 0");
    }
  }

  @Test
  @DisplayName("an unknown key, in the environment or the file: the nearest one is named")
  void unknownKey() throws Exception {
    Files.writeString(directory.resolve("holdfast.yaml"), "worker:\n  pol-interval: 1s\n");
    assertWords(2, "worker.pol-interval in holdfast.yaml", "worker.poll-interval");
    holdfast.with("HOLDFAST_WORKER_CONCURENCY", "7");
    Files.delete(directory.resolve("holdfast.yaml"));
    assertRefused(2, "HOLDFAST_WORKER_CONCURENCY", "HOLDFAST_WORKER_CONCURRENCY");
  }

  @Test
  @DisplayName("a duration that is none")
  void badDuration() throws Exception {
    holdfast.with("HOLDFAST_WORKER_LEASE", "soon");
    assertWords(2, "worker.lease: \"soon\" (from HOLDFAST_WORKER_LEASE)", "100ms to 1d");
  }

  @Test
  @DisplayName("a database URL that cannot be read: what it should look like, not what it was")
  void garbage() throws Exception {
    holdfast.with("HOLDFAST_DATABASE_URL", "mysql://ann:" + SECRET + "@db/prod");
    assertWords(2, "database", "postgres://");
    holdfast.with("HOLDFAST_DATABASE_URL", "postgres://ann:" + SECRET + "#1@db:port/prod");
    assertWords(2, "database", "postgres://");
  }

  @Test
  @DisplayName("a program is not told the database's address and password")
  void programsKnowNoSecrets() throws Exception {
    rows.addDesign("env", Job.of(directory, "env; env >&2; exit 1"));
    holdfast.with("HOLDFAST_WEB_TOKENS", "operator:" + SECRET.repeat(3));
    holdfast.with("HOLDFAST_RETRY_CATEGORIES_UNKNOWN_MAX_RETRIES", "0");
    long id = rows.enqueue("env", "env");
    HoldfastProcess worker = holdfast.worker("--queue", "env");
    rows.awaitState(id, "on_hold");
    String shown = holdfast.ok("show", Long.toString(id));
    assertThat(shown).contains("HOLDFAST_TICKET_ID=" + id).contains("PATH=");
    String everything = shown + worker;
    assertThat(everything).doesNotContain("HOLDFAST_DATABASE").doesNotContain(SECRET);
    if (!database.password().isEmpty()) {
      assertThat(everything).doesNotContain(database.password());
    }
  }

  private void assertRefused(int exit, String... parts) throws Exception {
    assertOneLine(holdfast.run("worker", "--port", "0"), exit, parts);
  }

  /** The same in this process; for each exit code another test starts a real worker. */
  private void assertWords(int exit, String... parts) {
    assertOneLine(holdfast.ask("worker", "--port", "0"), exit, parts);
  }

  private static void assertOneLine(Outcome outcome, int exit, String... parts) {
    assertThat(outcome.stderr()).hasLineCount(1).startsWith("holdfast: ").contains(parts);
    assertThat(outcome.exit()).isEqualTo(exit);
    assertThat(outcome.stdout()).isEmpty();
    assertThat(outcome.printed()).doesNotContain(SECRET);
  }
}
