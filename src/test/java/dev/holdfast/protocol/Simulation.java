package dev.holdfast.protocol;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.ticket.HoldfastException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Runs steps on the real queue and on the model, and compares them after each. */
final class Simulation {
  private static final int TICKETS_AT_FIRST = 3;
  private static final int MOST_OPEN = 6;
  private static final Duration TICK = Duration.ofMinutes(4);

  /** What a worker remembers; it may be long over, or never have been told to it. */
  private static final class Memory {
    final List<Execution> executions = new ArrayList<>();
    final Set<Execution> finished = new HashSet<>();

    Set<Long> leases() {
      Set<Long> leases = new HashSet<>();
      executions.stream()
          .filter(each -> !finished.contains(each))
          .forEach(each -> leases.add(each.lease()));
      return leases;
    }
  }

  private final World world;
  private final Oracle oracle = new Oracle();
  private final List<Memory> memories = new ArrayList<>();
  private final List<String> trace = new ArrayList<>();

  private Simulation(World world) {
    this.world = world;
    for (int i = 0; i < Step.WORKERS; i++) {
      memories.add(new Memory());
    }
  }

  /**
   * What was done up to the first difference, or to what the database refuses, and that as the last
   * line; empty if there was none.
   */
  static List<String> run(World world, List<Step> steps) {
    Simulation simulation = new Simulation(world);
    world.clear();
    try {
      for (int i = 0; i < TICKETS_AT_FIRST; i++) {
        simulation.enqueue();
      }
      for (Step step : steps) {
        simulation.take(step);
        world.check(simulation.oracle);
      }
      return List.of();
    } catch (Violation | HoldfastException | AssertionError e) {
      simulation.trace.add(String.valueOf(e.getMessage()));
      return simulation.trace;
    }
  }

  private void take(Step step) {
    switch (step.kind()) {
      case ENQUEUE -> enqueue();
      case CLAIM -> claim(step);
      case HEARTBEAT -> heartbeat(step);
      case SUCCEED, FAIL, GIVE_BACK, DEFER -> finish(step);
      case RESCUE -> rescue(step);
      case TIME -> pass();
      case HOLD -> hold(step);
      case RELEASE -> release(step);
    }
  }

  private void enqueue() {
    if (oracle.open() < MOST_OPEN) {
      long id = world.enqueue();
      trace.add("ticket " + id + " comes");
      oracle.enqueued(id);
    }
  }

  private static String worker(Step step) {
    return "worker-" + step.worker();
  }

  private static String lost(Step step) {
    return step.lost() ? ", and never learns of it" : "";
  }

  private void claim(Step step) {
    int limit = 1 + step.pick() % 3;
    List<Execution> claim = world.claim(worker(step), limit);
    trace.add(worker(step) + " claims " + limit + " and gets " + claim + lost(step));
    oracle.claimed(worker(step), limit, claim);
    if (!step.lost()) {
      memories.get(step.worker()).executions.addAll(claim);
    }
  }

  private void heartbeat(Step step) {
    Set<Long> leases = memories.get(step.worker()).leases();
    Set<Long> renewed = world.heartbeat(worker(step), leases);
    trace.add(worker(step) + " renews " + leases + " and has " + renewed);
    oracle.renewed(worker(step), leases, renewed);
  }

  /** Mostly of the newest; of any it ever had as well. It is repeated if the answer was lost. */
  private void finish(Step step) {
    Memory memory = memories.get(step.worker());
    List<Execution> all = memory.executions;
    if (all.isEmpty()) {
      return;
    }
    int back =
        step.pick() % 3 == 0
            ? step.pick() / 3 % all.size()
            : step.pick() / 3 % Math.min(3, all.size());
    Execution execution = all.get(all.size() - 1 - back);
    Finish finish = World.finish(step.kind(), execution);
    if (!step.lost()) {
      memory.finished.add(execution);
    }
    boolean closes =
        !step.lost()
            && all.stream()
                .noneMatch(
                    each -> each.lease() == execution.lease() && !memory.finished.contains(each));
    FinishResult result = world.finish(finish, closes);
    trace.add(worker(step) + " ends " + finish + ": " + result + lost(step));
    oracle.finished(finish, result);
  }

  private void rescue(Step step) {
    List<FinishResult> results = world.rescue();
    trace.add(worker(step) + " rescues " + results);
    oracle.rescued(results);
  }

  private void pass() {
    world.pass(TICK);
    trace.add("four minutes pass");
    oracle.passed(TICK);
  }

  private void hold(Step step) {
    long id = chosen(step);
    if (oracle.mayHold(id)) {
      world.hold(id);
      trace.add("a person holds ticket " + id);
      oracle.held(id);
    }
  }

  private void release(Step step) {
    long id = chosen(step);
    if (oracle.mayRelease(id)) {
      world.release(id);
      trace.add("a person releases ticket " + id);
      oracle.released(id);
    }
  }

  private long chosen(Step step) {
    List<Long> ids = List.copyOf(oracle.tickets().keySet());
    return ids.get(step.pick() % ids.size());
  }
}
