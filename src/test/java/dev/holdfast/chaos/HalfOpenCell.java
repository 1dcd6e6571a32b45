package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Between one of two workers and the server nothing arrives any more, and neither is told. The
 * other worker gets its tickets; what it says of them when its network is back comes too late.
 */
final class HalfOpenCell implements Cell {
  private static final int LONG_JOBS = 5;

  /** The lease, and time for another worker. */
  private static final Duration SILENCE = Duration.ofSeconds(9);

  private @Nullable HoldfastProcess silent;

  @Override
  public int workers() {
    return 0;
  }

  @Override
  public void prepare(Chaos chaos) throws Exception {
    chaos.relay();
    chaos.crew.start(1);
    silent = chaos.crew.workers().getFirst();
    chaos.holdfast.with("HOLDFAST_DATABASE_URL", chaos.site.jdbcUrl());
    chaos.crew.start(1);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Relay relay = chaos.relay();
    for (int i = 0; i < LONG_JOBS; i++) {
      chaos.load.add(Jobs.LONGEST, "longest-" + i);
    }
    chaos.crew.awaitBusy(Objects.requireNonNull(silent), chaos.database);
    chaos.faults.during(
        "network SILENT",
        Objects.requireNonNull(silent).workerId(),
        () -> {
          relay.mode(Relay.Mode.SILENT);
          Duration length = chaos.options.length();
          chaos.pass(length.compareTo(SILENCE) > 0 ? length : SILENCE);
          // Whoever was silent for so long has been forgotten by the other side.
          relay.drop();
          relay.mode(Relay.Mode.PASS);
        });
  }

  @Override
  public double goesOn() {
    return 0.4;
  }

  @Override
  public void check(Chaos chaos) throws IOException {
    assertThat(chaos.reasons()).as("why tickets ran again").isNotEmpty();
    assertThat(Jobs.overlaps(chaos.jobs)).as("tickets that ran twice at a time").isEmpty();
  }
}
