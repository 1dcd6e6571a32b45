package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** A worker whose database goes away and comes back, on a server of the test's own. */
@Tag("slow")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DatabaseOutageIT {
  private Installation holdfast;
  private OwnServer server;
  private TicketRows rows;
  private Job job;
  private HoldfastProcess worker;

  @BeforeAll
  void startWorker(@TempDir Path directory) throws Exception {
    server = OwnServer.start(directory);
    rows = new TicketRows(server.dataSource());
    job = Job.waiting(directory);
    rows.addDesign("wait", job);
    holdfast =
        server
            .install(directory)
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "500ms")
            // Polling alone would take so long that the wake-up must have come.
            .with("HOLDFAST_WORKER_POLL_INTERVAL", "10m");
    worker = holdfast.worker();
  }

  @AfterAll
  void stop() {
    holdfast.close();
    server.close();
  }

  private void assertWorksOnceWoken() throws Exception {
    await("it listens again")
        .until(
            () ->
                rows.value(
                        "SELECT count(*) FROM pg_stat_activity WHERE application_name ="
                            + " 'holdfast-listen'")
                    .equals("1"));
    await("it wants to be woken")
        .until(
            () ->
                rows.value(
                        "SELECT wants_wakeup FROM holdfast.workers WHERE id = ?", worker.workerId())
                    .equals("t"));
    long later = rows.enqueue("wait", "default");
    job.awaitStart(later, 1);
    job.go(later, 1);
    rows.awaitState(later, "done");
  }

  @Test
  @DisplayName(
      "A46: a worker outlives a restart of its database: running jobs go on, a job that finishes"
          + " meanwhile is stored afterwards, once, and /health/ready says what is the matter")
  void restart() throws Exception {
    long finishes = rows.enqueue("wait", "default");
    long goesOn = rows.enqueue("wait", "default");
    ProcessHandle program = job.awaitStart(finishes, 1);
    ProcessHandle other = job.awaitStart(goesOn, 1);

    server.close();
    await("the worker notices").until(() -> worker.status("/health/ready") == 503);
    assertThat(worker.get("/health/ready").body()).contains("database");
    assertThat(worker.status("/health/live")).isEqualTo(200);
    assertThat(worker.status("/metrics")).isEqualTo(200);
    job.go(finishes, 1);
    program.onExit().join();

    server.startAgain();
    rows.awaitState(finishes, "done");
    await("the worker is ready again").until(() -> worker.status("/health/ready") == 200);
    assertThat(other.isAlive()).as("the other program runs").isTrue();
    job.go(goesOn, 1);
    rows.awaitState(goesOn, "done");
    assertWorksOnceWoken();
    assertThat(rows.outcomes(finishes)).containsExactly("succeeded");
    assertThat(rows.outcomes(goesOn)).containsExactly("succeeded");
  }

  @Test
  @DisplayName("A46: killed backends are replaced; notifications arrive again")
  void killedBackends() throws Exception {
    long id = rows.enqueue("wait", "default");
    ProcessHandle program = job.awaitStart(id, 1);
    String others = "pid <> pg_backend_pid() AND backend_type = 'client backend'";
    int killed =
        Integer.parseInt(
            rows.value(
                "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE " + others));
    assertThat(killed).isGreaterThanOrEqualTo(2);
    job.go(id, 1);
    rows.awaitState(id, "done");
    program.onExit().join();
    assertWorksOnceWoken();
    assertThat(rows.outcomes(id)).containsExactly("succeeded");
    assertThat(worker.isAlive()).isTrue();
  }

  @Test
  @DisplayName("A46: a worker whose claims the database refuses is not ready, and says so")
  void refusedClaims() throws Exception {
    rows.value("ALTER FUNCTION holdfast.take_tickets RENAME TO gone");
    long id = rows.enqueue("wait", "default");
    await("the worker notices").until(() -> worker.status("/health/ready") == 503);
    assertThat(worker.get("/health/ready").body())
        .contains("claims fail; the worker's log says why");
    assertThat(worker.status("/health/live")).isEqualTo(200);

    rows.value("ALTER FUNCTION holdfast.gone RENAME TO take_tickets");
    job.awaitStart(id, 1);
    await("the worker is ready again").until(() -> worker.status("/health/ready") == 200);
    job.go(id, 1);
    rows.awaitState(id, "done");
    assertWorksOnceWoken();
  }
}
