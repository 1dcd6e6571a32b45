package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;

/** Workers that die or freeze without a word. */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class CrashIT {
  @AutoClose private Installation holdfast;
  private TicketRows rows;
  private Job job;

  private @Nullable HoldfastProcess second;

  /** The first to be killed by its ticket. */
  private @Nullable HoldfastProcess third;

  @BeforeAll
  void prepare(TestDatabase database, @TempDir Path directory) {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_WORKER_LEASE", "2s")
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "400ms")
            .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms")
            .with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_BASE_DELAY", "50ms");
    job = Job.waiting(directory);
    rows.addDesign("wait", job);
    rows.addDesign("poison", Job.of(directory, "kill -s KILL $PPID"));
  }

  /** Takes over from the first, which is killed; then is frozen itself, and notices the dead. */
  private HoldfastProcess second() throws Exception {
    HoldfastProcess known = second;
    if (known == null) {
      known = holdfast.worker("--queue", "killed", "--queue", "frozen", "--queue", "zombie");
      second = known;
    }
    return known;
  }

  @Test
  @Order(1)
  @DisplayName(
      "A50: when a worker is killed mid-job, another one on its machine ends the orphaned program,"
          + " runs it again and finishes the ticket")
  void killed() throws Exception {
    long id = rows.enqueue("wait", "killed");
    HoldfastProcess first = holdfast.worker("--queue", "killed");
    ProcessHandle orphan = job.awaitStart(id, 1);
    String lease = rows.of(id, "lease_no");
    first.signal("KILL");
    first.awaitExit(Duration.ofSeconds(10));

    second();
    job.awaitStart(id, 2);
    orphan.onExit().get(30, TimeUnit.SECONDS);
    assertThat(Long.parseLong(rows.of(id, "lease_no"))).isGreaterThan(Long.parseLong(lease));
    job.go(id, 2);
    rows.awaitState(id, "done");
    assertThat(rows.outcomes(id)).containsExactly("crashed", "succeeded");
    assertThat(rows.attempts(id, "error").getFirst()).startsWith("lease expired: worker ");
    assertThat(rows.attempts(id, "coalesce(category, '')")).containsExactly("system_error", "");
    assertThat(rows.of(id, "state || ' ' || (result ->> 'attempt')")).isEqualTo("done 2");
  }

  @Test
  @Order(2)
  @DisplayName(
      "A51: a worker that was frozen for longer than its lease wakes up with a result that is"
          + " refused; the ticket is finished once, by the one that took over")
  void frozen() throws Exception {
    long id = rows.enqueue("wait", "frozen");
    HoldfastProcess zombie = second();
    double before = zombie.metric("holdfast_tickets_succeeded_total");
    ProcessHandle program = job.awaitStart(id, 1);
    zombie.signal("STOP");
    job.go(id, 1);

    HoldfastProcess other = holdfast.worker("--queue", "frozen", "--queue", "poison");
    third = other;
    job.awaitStart(id, 2);
    zombie.signal("CONT");
    program.onExit().get(30, TimeUnit.SECONDS);
    // It has come to its senses once it works again, after all that it had to do before.
    long proof = rows.enqueue("wait", "zombie");
    job.awaitStart(proof, 1);
    job.go(proof, 1);
    rows.awaitState(proof, "done");
    assertThat(rows.of(id, "state || ' ' || attempt_count")).isEqualTo("in_progress 1");
    assertThat(zombie.metric("holdfast_tickets_succeeded_total") - before).isEqualTo(1);

    job.go(id, 2);
    rows.awaitState(id, "done");
    // Who is heard of again has not died.
    assertThat(rows.outcomes(id)).containsExactly("given_back", "succeeded");
    assertThat(rows.of(id, "result ->> 'attempt'")).isEqualTo("2");
    assertThat(rows.attempts(id, "worker_id")).containsExactly(zombie.workerId(), other.workerId());
  }

  @Test
  @Order(3)
  @DisplayName("A50: a ticket that kills every worker that takes it ends on_hold")
  void poison() throws Exception {
    second();
    long id = rows.enqueue("poison", "poison");
    int killed = 0;
    HoldfastProcess worker = third;
    while (!rows.of(id, "state").equals("on_hold")) {
      assertThat(killed).as("workers killed").isLessThan(10);
      if (worker == null || !worker.isAlive()) {
        worker = holdfast.start("worker", "--port", "0", "--no-console", "--queue", "poison");
      }
      HoldfastProcess victim = worker;
      await("the worker is dead, or the ticket on_hold")
          .until(() -> !victim.isAlive() || rows.of(id, "state").equals("on_hold"));
      killed += victim.isAlive() ? 0 : 1;
      await("its death is noticed").until(() -> !rows.of(id, "state").equals("in_progress"));
    }
    // A worker that is slower than its lease of two seconds gives the ticket back, and may die of
    // it.
    List<String> outcomes = new ArrayList<>(rows.outcomes(id));
    int all = outcomes.size();
    outcomes.removeIf("given_back"::equals);
    assertThat(outcomes).containsExactly("crashed", "crashed", "crashed");
    assertThat(killed).isBetween(3, all);
    assertThat(rows.of(id, "hold_reason")).isEqualTo("Its worker died 3 times: system_error");
    assertThat(rows.of(id, "crash_count")).isEqualTo("3");
    assertThat(rows.of(id, "error")).startsWith("lease expired: ");
  }
}
