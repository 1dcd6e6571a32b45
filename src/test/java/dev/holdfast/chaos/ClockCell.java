package dev.holdfast.chaos;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;

/** One worker's clock is an hour early, the other's an hour late; both lose their tickets. */
record ClockCell() implements Cell {
  private static final Path LIBRARY =
      Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1");

  @Override
  public int workers() {
    return 0;
  }

  @Override
  public void prepare(Chaos chaos) throws Exception {
    assumeTrue(Files.exists(LIBRARY), "no libfaketime: apt-get install faketime");
    wrong(chaos, "+3600");
    wrong(chaos, "-3600");
  }

  private static void wrong(Chaos chaos, String by) throws Exception {
    chaos
        .holdfast
        .with("LD_PRELOAD", LIBRARY.toString())
        .with("FAKETIME", by)
        .with("FAKETIME_DONT_FAKE_MONOTONIC", "1");
    chaos.crew.start(1);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    chaos.pass(chaos.options.length().dividedBy(2));
    chaos.crew.kill(chaos.crew.busiest(chaos.database));
    chaos.pass(chaos.options.length().dividedBy(2));
    wrong(chaos, "+3600");
  }
}
