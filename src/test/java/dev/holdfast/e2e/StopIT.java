package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** What SIGTERM does to a worker in the middle of its work. */
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class StopIT {
  @AutoClose private Installation holdfast;
  private TicketRows rows;
  private Job job;
  private @Nullable HoldfastProcess second;

  @BeforeAll
  void prepare(TestDatabase database, @TempDir Path directory) {
    rows = new TicketRows(database.dataSource());
    holdfast = Installation.on(database, directory);
    job = Job.waiting(directory);
    rows.addDesign("wait", job);
  }

  @Test
  @Order(1)
  @DisplayName(
      "A52: SIGTERM gives back what does not finish in time: no retry used, its program gone, exit"
          + " 0 within the drain timeout and five seconds")
  void givesBack() throws Exception {
    long id = rows.enqueue("wait", "back");
    HoldfastProcess worker =
        holdfast.with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "1s").worker("--queue", "back");
    ProcessHandle program = job.awaitStart(id, 1);

    worker.signal("TERM");
    assertThat(worker.awaitExit(Duration.ofSeconds(6))).isZero();
    assertThat(program.isAlive()).as("the program is left running").isFalse();
    assertThat(rows.of(id, "state")).isEqualTo("ready");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
    assertThat(rows.of(id, "retry_after")).isEqualTo("null");
    assertThat(rows.outcomes(id)).containsExactly("given_back");

    second();
    job.awaitStart(id, 2);
    job.go(id, 2);
    rows.awaitState(id, "done");
    assertThat(rows.outcomes(id)).containsExactly("given_back", "succeeded");
    assertThat(rows.of(id, "retry_count")).isEqualTo("0");
  }

  /** Works what the first gives back; then is stopped itself, with time to finish. */
  private HoldfastProcess second() throws Exception {
    HoldfastProcess known = second;
    if (known == null) {
      known =
          holdfast
              .with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "60s")
              .worker("--queue", "back", "--queue", "drain");
      second = known;
    }
    return known;
  }

  @Test
  @Order(2)
  @DisplayName(
      "a job that finishes within the drain timeout is stored as a success; meanwhile"
          + " /health/ready says 503 draining, /health/live 200, and nothing more is claimed")
  void drains() throws Exception {
    HoldfastProcess worker = second();
    long id = rows.enqueue("wait", "drain");
    job.awaitStart(id, 1);
    assertThat(worker.status("/health/ready")).isEqualTo(200);

    worker.signal("TERM");
    await("readiness says draining").until(() -> worker.status("/health/ready") == 503);
    assertThat(worker.get("/health/ready").body()).contains("draining");
    assertThat(worker.status("/health/live")).isEqualTo(200);
    // It tells its neighbours a moment later.
    await("the worker's row says draining")
        .untilAsserted(
            () ->
                assertThat(
                        rows.value(
                            "SELECT state FROM holdfast.workers WHERE id = ?", worker.workerId()))
                    .isEqualTo("draining"));
    long late = rows.enqueue("wait", "drain");
    job.go(id, 1);
    assertThat(worker.awaitExit(Duration.ofSeconds(30))).isZero();
    assertThat(rows.of(id, "state")).isEqualTo("done");
    assertThat(rows.of(id, "result ->> 'attempt'")).isEqualTo("1");
    assertThat(rows.outcomes(id)).containsExactly("succeeded");
    assertThat(rows.of(late, "state || ' ' || attempt_count")).isEqualTo("ready 0");
    assertThat(rows.value("SELECT state FROM holdfast.workers WHERE id = ?", worker.workerId()))
        .isEqualTo("stopped");
  }

  @Test
  @DisplayName(
      "A52: a log that nobody reads, as that of a stopped terminal, keeps a worker neither from its"
          + " work nor from its end")
  void unreadLog() throws Exception {
    long id = rows.enqueue("wait", "unread");
    holdfast.with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "1s");
    String full = "mkfifo log; exec 9<>log; timeout 1 cat /dev/zero >&9; exec \"$@\" 2>&9";
    HoldfastProcess worker = holdfast.through("sh", "-c", full, "sh").worker("--queue", "unread");
    holdfast.through();
    ProcessHandle program = job.awaitStart(id, 1);

    worker.signal("TERM");
    assertThat(worker.awaitExit(Duration.ofSeconds(6))).isZero();
    assertThat(program.isAlive()).as("the program is left running").isFalse();
    assertThat(rows.of(id, "state")).isEqualTo("ready");
    assertThat(rows.outcomes(id)).containsExactly("given_back");
  }

  @Test
  @DisplayName(
      "A52: SIGTERM drains a worker whose bubblewrap hangs; such a worker does not say that it"
          + " waits for the database; a program that ignores SIGTERM is dead too when its stopped"
          + " worker exits")
  void sandboxHangs() throws Exception {
    Path bin = Files.createDirectory(job.directory().resolve("bin"));
    Path bubblewrap = Files.writeString(bin.resolve("bwrap"), "#!/bin/sh\nexec sleep 60\n");
    Files.setPosixFilePermissions(bubblewrap, PosixFilePermissions.fromString("rwx------"));
    String path = System.getenv("PATH");
    rows.addDesign("stubborn", Job.of(job.directory(), "trap '' TERM\n" + job.script()));
    long id = rows.enqueue("wait", "hanging");
    long ignoring = rows.enqueue("stubborn", "hanging");
    // Longer than a start may be silent.
    holdfast.with("HOLDFAST_WORKER_DRAIN_TIMEOUT", "6s").with("PATH", bin + ":" + path);
    HoldfastProcess worker = holdfast.worker("--queue", "hanging");
    holdfast.with("PATH", path);
    job.awaitStart(id, 1);
    ProcessHandle stubborn = job.awaitStart(ignoring, 1);

    worker.signal("TERM");
    Outcome outcome = worker.awaitOutcome();
    assertThat(outcome.exit()).isZero();
    assertThat(outcome.stderr())
        .contains("giving 2 tickets back")
        .doesNotContain("before it had started")
        .doesNotContainPattern("(?s) runs \\[.*waiting for the database");
    assertThat(stubborn.isAlive()).as("the program that ignores SIGTERM is left running").isFalse();
    assertThat(rows.of(id, "state")).isEqualTo("ready");
    assertThat(rows.outcomes(id)).containsExactly("given_back");
    assertThat(rows.outcomes(ignoring)).containsExactly("given_back");
  }
}
