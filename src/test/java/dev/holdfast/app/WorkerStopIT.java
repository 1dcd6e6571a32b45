package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.cli.Cli;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A worker as a process of its own, and what supervisors do to it. */
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

  private String row(String id) throws SQLException {
    return Cli.query(
        database, "SELECT state || ' ' || retry_count FROM holdfast.tickets WHERE id = " + id);
  }

  private Process start(String url) throws IOException {
    String classPath =
        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    ProcessBuilder builder =
        new ProcessBuilder(
            JavaCommand.java("-cp", classPath, Main.class.getName(), "worker", "--port", "0"));
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
