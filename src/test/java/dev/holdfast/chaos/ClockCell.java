package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.e2e.HoldfastProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One worker's clock is an hour early, the other's an hour late, and one of them is killed. */
final class ClockCell implements Cell {
  private static final Duration HOUR = Duration.ofHours(1);
  private static final Duration TOLERANCE = Duration.ofMinutes(1);

  /** How far each worker's clock was off, as its own answers said. */
  private final List<Duration> seen = new ArrayList<>();

  @Override
  public int workers() {
    return 0;
  }

  @Override
  public void prepare(Chaos chaos) throws Exception {
    wrong(chaos, HOUR);
    wrong(chaos, HOUR.negated());
  }

  /**
   * The hour is in a file of the worker's home: a worker wipes its environment, in which the
   * library would look again and again.
   */
  private void wrong(Chaos chaos, Duration by) throws Exception {
    Path home = Files.createTempDirectory(chaos.jobs, "home");
    Files.writeString(
        home.resolve(".faketimerc"), (by.isNegative() ? "" : "+") + by.toSeconds() + "\n");
    chaos
        .holdfast
        .with("LD_PRELOAD", library().toString())
        .with("HOME", home.toString())
        .with("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    chaos.crew.start(1);
    HoldfastProcess worker = chaos.crew.workers().getLast();
    seen.add(offset(worker));
    if (by.isNegative() && chaos.options.without() == Protection.DATABASE_CLOCK) {
      chaos.database.run("INSERT INTO chaos.late_workers VALUES (?)", worker.workerId());
    }
  }

  private static Path library() throws IOException {
    try (Stream<Path> found =
        Files.find(
            Path.of("/usr/lib"), 3, (file, is) -> file.endsWith("faketime/libfaketime.so.1"))) {
      List<Path> all = found.toList();
      assumeTrue(!all.isEmpty(), "no libfaketime: apt-get install faketime");
      return all.getFirst();
    }
  }

  private static Duration offset(HoldfastProcess worker) throws Exception {
    String date = worker.sendGet("/health/live").join().headers().firstValue("date").orElseThrow();
    Instant its = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
    return Duration.between(Instant.now(), its);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    chaos.pass(chaos.options.length().dividedBy(2));
    chaos.crew.kill(chaos.crew.busiest(chaos.database));
    wrong(chaos, HOUR);
    chaos.pass(Duration.between(Instant.now(), end));
  }

  /** No clock but the database's ends a lease: nothing ran again but what was killed. */
  @Override
  public void check(Chaos chaos) {
    assertThat(chaos.reasons()).as("why tickets ran again").isSubsetOf("SIGKILL");
    assertThat(seen).as("how far the workers' clocks were off").hasSize(3);
    assertThat(seen)
        .allSatisfy(each -> assertThat(each.abs()).isCloseTo(HOUR, TOLERANCE))
        .anySatisfy(each -> assertThat(each).isNegative());
  }
}
