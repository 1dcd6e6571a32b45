package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
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

  private final TestDatabase database;
  private final Cli cli;

  @TempDir Path directory;

  WorkerStopIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
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

    Process worker = start(database.jdbcUrl());
    try {
      await()
          .atMost(PATIENCE)
          .pollInterval(Duration.ofMillis(2))
          .until(() -> Files.exists(claimed));
      worker.destroy();
      assertThat(worker.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(worker.exitValue()).isZero();
    } finally {
      worker.destroyForcibly();
    }

    assertThat(row(id)).isEqualTo("done 0");
  }

  @Test
  @DisplayName("a worker that cannot start ends with the error's exit code, not with its hook's")
  void refusesToStart() throws Exception {
    Process worker = start("jdbc:postgresql://127.0.0.1:1/nothing");
    try {
      assertThat(worker.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
      assertThat(worker.exitValue()).isEqualTo(4);
    } finally {
      worker.destroyForcibly();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "console"})
  @DisplayName("A52: SIGTERM ends what starts while the database accepts, but never answers")
  void sigtermAtSilentDatabase(String command) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Process process = startOn(silent, command);
      try (Socket first = silent.accept()) {
        assertThat(first.isConnected()).isTrue();
        process.destroy();
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isZero();
      } finally {
        process.destroyForcibly();
      }
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"worker", "console"})
  @DisplayName("a database that accepts, but never answers is waited for, and then is an error")
  void silentDatabase(String command) throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
      Process process = startOn(silent, command);
      try {
        assertThat(process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(process.exitValue()).isEqualTo(4);
      } finally {
        process.destroyForcibly();
      }
    }
    assertThat(directory.resolve("worker.log"))
        .content()
        .contains("still starting: waiting for the database")
        .contains("cannot reach the database");
  }

  @Test
  @DisplayName("A52: SIGTERM ends a worker that waits for a lock when it registers")
  void sigtermAtLock() throws Exception {
    try (Connection other = database.dataSource().getConnection();
        Statement lock = other.createStatement()) {
      other.setAutoCommit(false);
      lock.execute("LOCK holdfast.workers");
      Process worker = start(database.jdbcUrl());
      try {
        await().atMost(PATIENCE).until(() -> waiting() > 0);
        worker.destroy();
        assertThat(worker.waitFor(PATIENCE.toSeconds() / 2, TimeUnit.SECONDS)).isTrue();
        assertThat(worker.exitValue()).isZero();
      } finally {
        worker.destroyForcibly();
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

  private Process startOn(ServerSocket silent, String command) throws IOException {
    return start("jdbc:postgresql://127.0.0.1:" + silent.getLocalPort() + "/nothing", command);
  }

  private String row(String id) throws SQLException {
    return Cli.query(
        database, "SELECT state || ' ' || retry_count FROM holdfast.tickets WHERE id = " + id);
  }

  private Process start(String url) throws IOException {
    return start(url, "worker");
  }

  private Process start(String url, String command) throws IOException {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaCommand.java("-cp", classPath, Main.class.getName(), command, "--port", "0"));
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
    environment.put("HOLDFAST_DATABASE_URL", url);
    environment.put("HOLDFAST_DATABASE_USER", database.user());
    environment.put("HOLDFAST_DATABASE_PASSWORD", database.password());
    return builder
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("worker.log").toFile())
        .start();
  }
}
