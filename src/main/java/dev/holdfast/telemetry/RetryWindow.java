package dev.holdfast.telemetry;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.OptionalDouble;
import java.util.function.LongSupplier;

/** The retries that have finished within the last hour, counted by minutes. Thread-safe. */
final class RetryWindow {
  private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();
  private static final int MINUTES = 60;

  private static final class Minute {
    final long number;
    long finished;
    long succeeded;

    Minute(long number) {
      this.number = number;
    }
  }

  private final LongSupplier nanoTime;
  private final Deque<Minute> minutes = new ArrayDeque<>();

  RetryWindow(LongSupplier nanoTime) {
    this.nanoTime = nanoTime;
  }

  synchronized void add(boolean success) {
    long now = forgetOld();
    Minute last = minutes.peekLast();
    if (last == null || last.number != now) {
      last = new Minute(now);
      minutes.add(last);
    }
    last.finished++;
    if (success) {
      last.succeeded++;
    }
  }

  /** Returns the rate from 0 to 100; empty where no retry has finished. */
  synchronized OptionalDouble percent() {
    forgetOld();
    long finished = 0;
    long succeeded = 0;
    for (Minute minute : minutes) {
      finished += minute.finished;
      succeeded += minute.succeeded;
    }
    return finished == 0 ? OptionalDouble.empty() : OptionalDouble.of(100.0 * succeeded / finished);
  }

  private long forgetOld() {
    long now = Math.floorDiv(nanoTime.getAsLong(), MINUTE_NANOS);
    while (!minutes.isEmpty() && now - minutes.getFirst().number >= MINUTES) {
      minutes.removeFirst();
    }
    return now;
  }
}
