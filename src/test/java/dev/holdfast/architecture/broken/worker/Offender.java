package dev.holdfast.architecture.broken.worker;

import java.sql.Connection;
import java.time.Clock;
import java.time.Instant;
import java.time.LocalDate;
import java.util.concurrent.TimeUnit;

/** Does everything that is forbidden. */
final class Offender {
  public static final int CONSTANT = 1;

  static int mutable = 2;
  public int open = 3;

  Connection sql(Connection connection) {
    return connection;
  }

  @SuppressWarnings("JavaTimeDefaultTimeZone")
  String clock(Clock clock) {
    return ""
        + Instant.now(clock)
        + Instant.now()
        + LocalDate.now()
        + Clock.systemUTC()
        + System.currentTimeMillis();
  }

  void sleep() throws InterruptedException {
    Thread.sleep(1);
    TimeUnit.SECONDS.sleep(1);
  }

  void end() {
    new Thread(() -> System.exit(1)).start();
  }
}
