package dev.holdfast.chaos;

import dev.holdfast.e2e.HoldfastProcess;
import dev.holdfast.e2e.Installation;
import dev.holdfast.testing.TicketDatabase;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.awaitility.Awaitility;

/** The worker processes of a run, as a supervisor would see them. Used by one thread. */
final class Crew implements AutoCloseable {
  private static final Duration STOP_TIME = Duration.ofSeconds(45);
  private static final Duration PATIENCE = Duration.ofMinutes(4);
  private static final int SIGKILL_EXIT = 137;

  private final Installation holdfast;
  private final Faults faults;
  private final List<HoldfastProcess> workers = new ArrayList<>();
  private final List<HoldfastProcess> all = new ArrayList<>();
  private double staleOfStopped;

  Crew(Installation holdfast, Faults faults) {
    this.holdfast = holdfast;
    this.faults = faults;
  }

  /** Starts them at the same time, and waits until all listen. */
  void start(int count) throws IOException, InterruptedException {
    List<HoldfastProcess> started = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      started.add(holdfast.start("worker", "--port", "0", "--no-console"));
    }
    all.addAll(started);
    for (HoldfastProcess each : started) {
      workers.add(each.awaitListening());
    }
  }

  /** Starts one without waiting for it; it may die before it is heard of. */
  HoldfastProcess begin(String... words) throws IOException {
    List<String> command = new ArrayList<>(List.of("worker", "--port", "0"));
    command.addAll(List.of(words));
    HoldfastProcess worker = holdfast.start(command.toArray(String[]::new));
    all.add(worker);
    workers.add(worker);
    return worker;
  }

  /** What each has logged, the dead too. */
  List<String> logs() {
    return all.stream().map(HoldfastProcess::stderr).toList();
  }

  Installation holdfast() {
    return holdfast;
  }

  List<HoldfastProcess> workers() {
    return List.copyOf(workers);
  }

  /** Who has the most tickets under way: it has the most to lose. Waits until somebody has some. */
  HoldfastProcess busiest(TicketDatabase database) throws InterruptedException {
    return first(
        database,
        "SELECT worker_id FROM holdfast.leases WHERE worker_id = ANY (?) GROUP BY 1 ORDER BY"
            + " sum(cardinality(ids)) DESC LIMIT 1");
  }

  /** Who has the session that has come furthest. Waits until one has had a few answers. */
  HoldfastProcess furthest(TicketDatabase database) throws InterruptedException {
    return first(
        database,
        "SELECT l.worker_id FROM holdfast.leases l JOIN holdfast.session_journal j ON j.ticket_id ="
            + " ANY (l.ids) WHERE l.worker_id = ANY (?) AND j.kind = 'answered' GROUP BY"
            + " l.worker_id, j.ticket_id HAVING count(*) >= 3 ORDER BY count(*) DESC LIMIT 1");
  }

  /** Who has the most jobs that take longer than a lease. Waits until somebody has one. */
  HoldfastProcess longest(TicketDatabase database) throws InterruptedException {
    return first(
        database,
        "SELECT l.worker_id FROM holdfast.leases l JOIN holdfast.ticket_base b ON b.id = ANY"
            + " (l.ids) WHERE l.worker_id = ANY (?) AND b.unique_key LIKE 'longest-%' GROUP BY"
            + " l.worker_id ORDER BY count(*) DESC LIMIT 1");
  }

  private HoldfastProcess first(TicketDatabase database, String query) throws InterruptedException {
    List<String> ids = new ArrayList<>();
    for (HoldfastProcess each : workers) {
      ids.add(each.workerId());
    }
    String found =
        Awaitility.await("a worker has tickets")
            .atMost(PATIENCE)
            .until(
                () -> database.column(query, (Object) ids.toArray(String[]::new)),
                answer -> !answer.isEmpty())
            .getFirst();
    return workers.get(ids.indexOf(found));
  }

  /** Returns once it has a ticket that is under way. */
  void awaitBusy(HoldfastProcess worker, TicketDatabase database) throws InterruptedException {
    String id = worker.workerId();
    Awaitility.await("a worker has tickets")
        .atMost(PATIENCE)
        .until(
            () ->
                database.number("SELECT count(*) FROM holdfast.leases WHERE worker_id = ?", id)
                    > 0);
  }

  void kill(HoldfastProcess worker) throws IOException, InterruptedException {
    faults.strike(worker.workerId(), "SIGKILL");
    worker.signal("KILL");
    worker.awaitExit(STOP_TIME);
    workers.remove(worker);
  }

  /** The kernel does it, because the memory of its control group is used up. */
  void starve(HoldfastProcess worker) throws IOException, InterruptedException {
    faults.strike(worker.workerId(), "out of memory");
    try (MemoryGroup group = MemoryGroup.of(worker.pid())) {
      group.exhaust();
      int exit = worker.awaitExit(STOP_TIME);
      if (exit != SIGKILL_EXIT) {
        throw new AssertionError("the kernel did not kill " + worker);
      }
    }
    workers.remove(worker);
  }

  /** One that is dead already, not by our hand. */
  void bury(HoldfastProcess worker, String cause) throws InterruptedException {
    faults.strike(worker.workerId(), cause);
    workers.remove(worker);
  }

  /** As a deployment does; what it may not finish in its drain time it gives back. */
  void terminate(HoldfastProcess worker) throws IOException, InterruptedException {
    faults.strike(worker.workerId(), "SIGTERM");
    staleOfStopped += stale(worker);
    worker.signal("TERM");
    int exit = worker.awaitExit(STOP_TIME);
    if (exit != 0) {
      throw new AssertionError("a stopped worker ended with " + exit + ": " + worker);
    }
    workers.remove(worker);
  }

  /** Results that came too late, as the workers that can still be asked count them. */
  long staleResults() throws IOException, InterruptedException {
    double sum = staleOfStopped;
    for (HoldfastProcess worker : workers) {
      if (worker.isAlive()) {
        sum += stale(worker);
      }
    }
    return Math.round(sum);
  }

  private static double stale(HoldfastProcess worker) throws IOException, InterruptedException {
    return worker.metric("holdfast_results_stale_total");
  }

  @Override
  public void close() {
    holdfast.close();
  }
}
