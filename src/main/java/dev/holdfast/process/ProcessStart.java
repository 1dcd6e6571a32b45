package dev.holdfast.process;

import java.time.Instant;

/** When processes started, to know one from a later one with its number. */
public final class ProcessStart {
  private ProcessStart() {}

  /**
   * Returns a number that stays the same while the process lives; 0 if the system does not say. On
   * Linux it is in ticks since the boot: the time that Java tells there moves whenever the
   * machine's clock is set.
   */
  public static long of(ProcessHandle process) {
    return ProcessTable.exists()
        ? ProcessTable.startOf(process.pid())
        : process.info().startInstant().map(Instant::toEpochMilli).orElse(0L);
  }
}
