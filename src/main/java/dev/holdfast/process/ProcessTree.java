package dev.holdfast.process;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A started program with everything it forked, wherever that went: children of ended parents, other
 * process groups, other sessions. Without {@code /proc} only the processes that living parents
 * connect are found. Used by one thread.
 */
public final class ProcessTree {
  private static final Logger log = LoggerFactory.getLogger(ProcessTree.class);
  private static final ProcessTables TABLES = new ProcessTables();
  private static final Duration LOOK_AGAIN = Duration.ofMillis(10);

  /**
   * The time and, with {@link #LOOKS_AFTER_KILL}, the looks that a killed process may need to be
   * gone. On a busy machine this process may rarely look.
   */
  private static final Duration AFTER_KILL = Duration.ofSeconds(2);

  private static final int LOOKS_AFTER_KILL = 20;

  private final Process leader;
  private final OwnSession session;
  private final boolean table;
  private final long since;
  private final Set<ProcessHandle> seen = new LinkedHashSet<>();
  private boolean hurried;

  /**
   * @param session as which it was started
   */
  ProcessTree(Process leader, OwnSession session) {
    this.leader = leader;
    this.session = session;
    this.table = ProcessTable.exists();
    this.since = table ? Math.max(ProcessTable.OWN_START, ProcessTable.startOf(leader.pid())) : 0;
  }

  /**
   * Ends all processes: asks them, waits for {@code grace} at most, and kills them. Asks and kills
   * the known ones before it looks for the rest, which may take long on a busy machine. An
   * interrupt while it waits makes it kill at once; the interrupt stays set.
   */
  public void stop(Duration grace) {
    boolean asked = leader.isAlive();
    long askedNanos = System.nanoTime();
    leader.toHandle().destroy();
    List<ProcessTable.Member> living = living();
    living.stream()
        .filter(each -> each.pid() != leader.pid()) // many a program takes a second one ill
        .forEach(each -> each.handle().ifPresent(ProcessHandle::destroy));
    long deadline = (asked ? askedNanos : System.nanoTime()) + grace.toNanos();
    if (!living.isEmpty() && !isGoneBy(deadline)) {
      kill();
    }
    if (hurried) {
      Thread.currentThread().interrupt();
    }
  }

  /**
   * Does the same, unless the program has ended and nothing is left in its group. Then it does not
   * look for processes outside the group, because a look costs more the more processes the machine
   * has.
   */
  void stopUnlessGone(Duration grace) {
    if (leader.isAlive() || mayBeLeft()) {
      stop(grace);
    }
  }

  private boolean mayBeLeft() {
    try {
      return !session.hasSetsid() || ProcessGroup.isThere(leader.pid());
    } catch (IOException e) {
      log.debug("Whether a group of processes has ended cannot be asked: looking for it", e);
      return true;
    }
  }

  private void kill() {
    killGroup(List.of());
    List<ProcessTable.Member> living = living();
    long deadline = System.nanoTime() + AFTER_KILL.toNanos();
    int looks = 0;
    while (!living.isEmpty() && (looks < LOOKS_AFTER_KILL || System.nanoTime() - deadline < 0)) {
      killGroup(living);
      living.forEach(each -> each.handle().ifPresent(ProcessHandle::destroyForcibly));
      pause();
      living = living();
      looks++;
    }
    if (!living.isEmpty()) {
      List<Long> pids = living.stream().map(ProcessTable.Member::pid).toList();
      log.warn("Processes {} of a stopped program cannot be killed: end them by hand", pids);
    }
  }

  /**
   * Kills the group at once, so that processes which fork without end cannot fork again. Does so
   * only while the group's number cannot be a stranger's.
   */
  private void killGroup(List<ProcessTable.Member> living) {
    boolean isOurs =
        leader.isAlive() || living.stream().anyMatch(each -> each.inSession() && isAlive(each));
    if (!session.hasSetsid() || !isOurs) {
      return;
    }
    try {
      ProcessGroup.kill(leader.pid());
    } catch (IOException e) {
      log.debug("A group of processes cannot be killed at once: they are killed one by one", e);
    }
  }

  private static boolean isAlive(ProcessTable.Member member) {
    return member.handle().filter(ProcessHandle::isAlive).isPresent();
  }

  private boolean isGoneBy(long deadline) {
    awaitLeader(deadline);
    while (leader.isAlive() || !living().isEmpty()) {
      if (hurried || System.nanoTime() - deadline >= 0) {
        return false;
      }
      pause();
    }
    return true;
  }

  /** Waits for the leader; no look is needed as long as it lives. */
  private void awaitLeader(long deadline) {
    try {
      leader.waitFor(Duration.ofNanos(deadline - System.nanoTime()));
    } catch (InterruptedException e) {
      hurried = true;
    }
  }

  private List<ProcessTable.Member> living() {
    if (table) {
      try {
        long number = session.hasSetsid() ? leader.pid() : -1;
        return TABLES.look(since).members(number, session.runId(), since, session.user());
      } catch (IOException e) {
        log.warn("The process table cannot be read ({}): looking for children only", e.toString());
      }
    }
    return livingByParents();
  }

  private List<ProcessTable.Member> livingByParents() {
    List<ProcessHandle> parents = new ArrayList<>(seen);
    parents.add(leader.toHandle());
    seen.add(leader.toHandle());
    parents.forEach(each -> each.descendants().forEach(seen::add));
    return seen.stream()
        .filter(ProcessHandle::isAlive)
        .map(each -> new ProcessTable.Member(each.pid(), () -> Optional.of(each), false))
        .toList();
  }

  private void pause() {
    LockSupport.parkNanos(LOOK_AGAIN.toNanos());
    hurried |= Thread.interrupted();
  }
}
