package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Four workers, of which one after the other is killed, with sessions and repairs under way. */
final class SessionsCell implements Cell {
  private static final int AT_ONCE = 8;
  private static final int REPAIRS = 2;
  private static final long TURN_MILLIS = 400;
  private static final Duration BETWEEN = Duration.ofMillis(2500);

  private @Nullable Sessions sessions;
  private @Nullable Repairs repairs;

  @Override
  public int workers() {
    return 4;
  }

  @Override
  public void prepare(Chaos chaos) throws Exception {
    sessions = new Sessions(chaos, TURN_MILLIS);
    repairs = new Repairs(chaos);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    Objects.requireNonNull(repairs).enqueue(REPAIRS);
    do {
      Objects.requireNonNull(sessions).enqueue(AT_ONCE);
      chaos.crew.kill(chaos.crew.furthest(chaos.database));
      chaos.crew.start(1);
      chaos.pass(chaos.about(BETWEEN));
    } while (Instant.now().isBefore(end));
  }

  @Override
  public void check(Chaos chaos) throws Exception {
    Sessions all = Objects.requireNonNull(sessions);
    all.check();
    assertThat(all.deaths()).as("sessions whose worker died").isPositive();
    Objects.requireNonNull(repairs).check();
  }

  @Override
  public void leave() {
    Sessions open = sessions;
    if (open != null) {
      open.close();
    }
  }
}
