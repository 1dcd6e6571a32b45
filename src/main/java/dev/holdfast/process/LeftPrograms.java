package dev.holdfast.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Ends what programs of killed workers still run on this machine. Their tickets are worked on
 * again, and nothing should run beside its own repetition. Only Linux shows such programs.
 */
public final class LeftPrograms {
  private static final Logger log = LoggerFactory.getLogger(LeftPrograms.class);
  private static final ProcessTables TABLES = new ProcessTables();
  private static final long ALL = 0;

  /** The grace for programs of agents' tools and of repairs. */
  private static final Duration GRACE = Duration.ofSeconds(2);

  /**
   * The time for which a look is valid. It is far shorter than a lease: a ticket whose worker has
   * died since is not worked on again within it.
   */
  private static final long LOOK_LASTS_NANOS = 500_000_000;

  private static final ReentrantLock LOOKING = new ReentrantLock();
  private static final AtomicLong LOOKED_NANOS =
      new AtomicLong(System.nanoTime() - LOOK_LASTS_NANOS);

  private LeftPrograms() {}

  /**
   * Ends those programs that this process may see and signal; those of living workers go on.
   *
   * @param grace how long they may tidy up before they are killed
   */
  public static void end(Duration grace) {
    if (!ProcessTable.exists()) {
      return;
    }
    try {
      List<Long> left = look().stream().map(ProcessTable.Member::pid).toList();
      if (!left.isEmpty()) {
        log.info("Processes {} are of programs whose worker was killed: ending them", left);
        UnownedProcesses.end(LeftPrograms::look, grace);
      }
    } catch (IOException e) {
      log.warn("What killed workers have left running cannot be looked for: {}", e.toString());
    }
  }

  /** Does the same as {@link #endBeforeAttempt(int, Duration)}, with two seconds to tidy up. */
  public static void endBeforeAttempt(int attempt) {
    endBeforeAttempt(attempt, GRACE);
  }

  /**
   * Does the same before an attempt that follows another one. Many attempts share one look, because
   * a look costs more the more processes the machine has.
   */
  public static void endBeforeAttempt(int attempt, Duration grace) {
    if (attempt <= 1) {
      return;
    }
    LOOKING.lock();
    try {
      long now = System.nanoTime();
      if (now - LOOKED_NANOS.get() >= LOOK_LASTS_NANOS) {
        end(grace);
        LOOKED_NANOS.set(now);
      }
    } finally {
      LOOKING.unlock();
    }
  }

  private static List<ProcessTable.Member> look() throws IOException {
    return TABLES.look(ALL).left();
  }
}
