package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The kernel kills three workers for want of memory, one after the other, beside long sessions that
 * are not to blame. An hour is compressed into the run's length.
 */
final class MemoryCell implements Cell {
  private static final int KILLS = 3;
  private static final int AT_ONCE = 6;
  private static final long TURN_MILLIS = 500;

  private @Nullable Sessions sessions;

  @Override
  public void prepare(Chaos chaos) {
    sessions = new Sessions(chaos, TURN_MILLIS);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Objects.requireNonNull(sessions).enqueue(AT_ONCE);
    Duration between = chaos.options.length().dividedBy(KILLS);
    for (int i = 0; i < KILLS; i++) {
      Instant next = Instant.now().plus(between);
      chaos.pass(between.dividedBy(2));
      chaos.crew.starve(chaos.crew.busiest(chaos.database));
      chaos.crew.start(1);
      if (Instant.now().isBefore(next)) {
        chaos.pass(Duration.between(Instant.now(), next));
      }
    }
  }

  /** Only the one that ran alone at each of three deaths may be suspected of them. */
  @Override
  public void check(Chaos chaos) throws Exception {
    Sessions all = Objects.requireNonNull(sessions);
    all.check();
    assertThat(all.holds().stream().filter(each -> each.startsWith("Its worker died")))
        .as("sessions that were held for three deaths")
        .hasSizeLessThanOrEqualTo(1);
  }

  @Override
  public void leave() {
    Sessions open = sessions;
    if (open != null) {
      open.close();
    }
  }
}
