package dev.holdfast.process;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends processes that are nobody's children here, and so cannot be waited for. */
final class UnownedProcesses {
  private static final Logger log = LoggerFactory.getLogger(UnownedProcesses.class);
  private static final Duration LOOK_AGAIN = Duration.ofMillis(10);
  private static final int LOOKS_AFTER_KILL = 200;

  private UnownedProcesses() {}

  /** Finds the processes that must end and still live. */
  @FunctionalInterface
  interface Look {
    List<ProcessTable.Member> living() throws IOException;
  }

  /**
   * Asks them to end, waits for {@code grace} at most, and kills them.
   *
   * @throws IOException if the process table cannot be read
   */
  static void end(Look look, Duration grace) throws IOException {
    long deadline = System.nanoTime() + grace.toNanos();
    List<ProcessTable.Member> living = look.living();
    if (grace.isPositive()) {
      living.forEach(each -> each.handle().ifPresent(ProcessHandle::destroy));
    }
    while (!living.isEmpty() && System.nanoTime() - deadline < 0) {
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      living = look.living();
    }
    for (int looks = 0; !living.isEmpty() && looks < LOOKS_AFTER_KILL; looks++) {
      living.forEach(each -> each.handle().ifPresent(ProcessHandle::destroyForcibly));
      LockSupport.parkNanos(LOOK_AGAIN.toNanos());
      living = look.living();
    }
    if (!living.isEmpty()) {
      List<Long> pids = living.stream().map(ProcessTable.Member::pid).toList();
      log.warn("Processes {} of a program that starts again cannot be killed: end them", pids);
    }
  }
}
