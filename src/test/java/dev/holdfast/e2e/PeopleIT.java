package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What people's commands do to work that is under way. */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class PeopleIT {
  @AutoClose private Installation holdfast;
  private TicketRows rows;
  private Job job;

  @BeforeAll
  void prepare(TestDatabase database, @TempDir Path directory) {
    rows = new TicketRows(database.dataSource());
    holdfast = Installation.on(database, directory);
    job = Job.waiting(directory);
    rows.addDesign("wait", job);
  }

  @Test
  @DisplayName(
      "A58: cancelling or holding a running ticket by command kills its program within two"
          + " seconds, and its result is not wanted any more")
  void stopsPrograms() throws Exception {
    long cancelled = rows.enqueue("wait", "people");
    long held = rows.enqueue("wait", "people");
    HoldfastProcess worker = holdfast.worker("--queue", "people");
    ProcessHandle first = job.awaitStart(cancelled, 1);
    ProcessHandle second = job.awaitStart(held, 1);

    assertThat(holdfast.ok("cancel", Long.toString(cancelled), "--reason", "withdrawn"))
        .isEqualTo("cancelled #" + cancelled);
    first.onExit().get(2, TimeUnit.SECONDS);
    assertThat(second.isAlive()).as("the other ticket's program runs").isTrue();
    assertThat(holdfast.ok("hold", Long.toString(held), "--reason", "let me look"))
        .isEqualTo("held #" + held);
    second.onExit().get(2, TimeUnit.SECONDS);

    worker.signal("TERM");
    assertThat(worker.awaitExit(Duration.ofSeconds(10))).isZero();
    assertThat(rows.of(cancelled, "state")).isEqualTo("cancelled");
    assertThat(rows.outcomes(cancelled)).containsExactly("revoked");
    assertThat(rows.of(held, "state || ': ' || hold_reason")).isEqualTo("on_hold: let me look");
    assertThat(rows.outcomes(held)).containsExactly("revoked");
    assertThat(rows.of(held, "retry_count")).isEqualTo("0");
  }

  @Test
  @DisplayName("a paused queue stays paused over a restart of the worker, until it is resumed")
  void pause() throws Exception {
    HoldfastProcess before = holdfast.worker("--queue", "paused", "--queue", "open");
    assertThat(holdfast.ok("pause", "paused")).isEqualTo("paused the queue paused");
    before.signal("TERM");
    assertThat(before.awaitExit(Duration.ofSeconds(10))).isZero();
    long waits = rows.enqueue("wait", "paused");
    long runs = rows.enqueue("wait", "open");

    holdfast.worker("--queue", "paused", "--queue", "open");
    job.awaitStart(runs, 1);
    job.go(runs, 1);
    rows.awaitState(runs, "done");
    assertThat(rows.of(waits, "state || ' ' || attempt_count")).isEqualTo("ready 0");

    assertThat(holdfast.ok("resume", "paused")).isEqualTo("resumed the queue paused");
    job.awaitStart(waits, 1);
    job.go(waits, 1);
    rows.awaitState(waits, "done");
  }
}
