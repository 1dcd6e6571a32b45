package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.e2e.HoldfastProcess;
import dev.holdfast.e2e.Installation;
import dev.holdfast.e2e.Outcome;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A worker as a process of its own, and what supervisors do to it. */
@Tag("slow")
@WithDatabase
class WorkerStopIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final String NOTHING = "nothing-at-all";

  private final TestDatabase database;
  private final Cli cli;
  private final Path directory;
  @AutoClose private final Installation holdfast;

  WorkerStopIT(TestDatabase database, @TempDir Path directory) {
    this.database = database;
    this.cli = Cli.on(database);
    this.directory = directory;
    this.holdfast =
        new Installation(directory)
            .with("HOLDFAST_DATABASE_USER", database.user())
            .with("HOLDFAST_DATABASE_PASSWORD", database.password());
  }

  @Test
  @DisplayName("A52: SIGTERM right behind the first claim drains too: done, no retry, exit code 0")
  void sigtermAtFirstClaim() throws Exception {
    Path claimed = directory.resolve("claimed");
    Files.writeString(
        directory.resolve("design.yaml"),
        "kind: command\nreview: none\ncommand: [sh, -c, \"touch '%s'; sleep 1\"]\n"
            .formatted(claimed));
    assertThat(
            cli.run("design", "put", "slow", "--file", directory.resolve("design.yaml").toString())
                .err())
        .isEmpty();
    String id = cli.run("enqueue", "--design", "slow").out().strip();

    HoldfastProcess worker = start(database.jdbcUrl(), "worker");
    await().atMost(PATIENCE).pollInterval(Duration.ofMillis(2)).until(() -> Files.exists(claimed));
    worker.signal("TERM");
    assertThat(worker.awaitExit(PATIENCE)).isZero();

    assertThat(row(id)).isEqualTo("done 0");
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "console"})
  @DisplayName("A52: SIGTERM ends what starts while the database accepts, but never answers")
  void sigtermAtSilentDatabase(String command) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      HoldfastProcess process = startOn(silent, command);
      try (Socket ignored = acceptOwn(silent)) {
        process.signal("TERM");
        assertThat(process.awaitExit(PATIENCE)).isZero();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "console"})
  @DisplayName("a database that accepts, but never answers is waited for, and then is an error")
  void silentDatabase(String command) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Outcome outcome = startOn(silent, command).awaitOutcome();
      assertThat(outcome.exit()).isEqualTo(4);
      assertThat(outcome.stdout() + outcome.stderr())
          .contains("still starting: waiting for the database")
          .contains("cannot reach the database");
    }
  }

  @Test
  @DisplayName("A52: SIGTERM ends a worker that waits for a lock when it registers")
  void sigtermAtLock() throws Exception {
    try (Connection other = database.dataSource().getConnection();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("LOCK holdfast.workers");
      HoldfastProcess worker = start(database.jdbcUrl(), "worker");
      try {
        await().atMost(PATIENCE).until(() -> waiting() > 0);
        worker.signal("TERM");
        assertThat(worker.awaitExit(PATIENCE.dividedBy(2))).isZero();
      } finally {
        other.rollback();
        other.setAutoCommit(true);
      }
    }
  }

  private int waiting() throws SQLException {
    return Integer.parseInt(
        Cli.query(
            database,
            "SELECT count(*) FROM pg_stat_activity"
                + " WHERE datname = current_database() AND wait_event_type = 'Lock'"));
  }

  private HoldfastProcess startOn(ServerSocket silent, String command) throws IOException {
    String server = "jdbc:postgresql://127.0.0.1:" + silent.getLocalPort();
    // So that the first words name the database.
    return start(server + "/" + NOTHING + "?sslmode=disable", command);
  }

  /** Another test's program may still look for its own database at this port. */
  private static Socket acceptOwn(ServerSocket silent) throws IOException {
    while (true) {
      Socket socket = silent.accept();
      socket.setSoTimeout((int) PATIENCE.toMillis() / 4);
      try {
        byte[] words = socket.getInputStream().readNBytes(60);
        if (new String(words, StandardCharsets.US_ASCII).contains(NOTHING)) {
          return socket;
        }
      } catch (SocketTimeoutException e) {
        // whoever says less is another
      }
      socket.close();
    }
  }

  private String row(String id) throws SQLException {
    return Cli.query(
        database, "SELECT state || ' ' || retry_count FROM holdfast.tickets WHERE id = " + id);
  }

  private HoldfastProcess start(String url, String command) throws IOException {
    return holdfast.with("HOLDFAST_DATABASE_URL", url).start(command, "--port", "0");
  }
}
