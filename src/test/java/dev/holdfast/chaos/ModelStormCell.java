package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;

/**
 * A provider answers every request with 429 for half of the time, then refuses connections. Minutes
 * and hours are compressed, unless real time is asked for: what Holdfast waits at most is a second
 * here and five minutes as a rule.
 */
final class ModelStormCell implements Cell {
  private static final int AT_ONCE = 16;
  private static final long TURN_MILLIS = 300;

  /** Of all sessions together; without a common cool-down each asks by itself. */
  private static final int MOST_PER_SECOND = 3;

  private static final Duration PATIENCE = Duration.ofSeconds(90);

  private @Nullable Sessions sessions;
  private int asked;

  @Override
  public void prepare(Chaos chaos) {
    if (!chaos.options.real()) {
      chaos
          .holdfast
          .with("HOLDFAST_COOLDOWN_BASE_DELAY", "20ms")
          .with("HOLDFAST_COOLDOWN_MAX_DELAY", "1s")
          .with("HOLDFAST_COOLDOWN_NOTICE_AFTER", "3s")
          .with("HOLDFAST_COOLDOWN_HOLD_AFTER", "72s")
          .with("HOLDFAST_COOLDOWN_WAIT_IN_SESSION", "300ms");
    }
    sessions = new Sessions(chaos, TURN_MILLIS);
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    Sessions all = Objects.requireNonNull(sessions);
    Duration half = chaos.options.length().dividedBy(2);
    all.enqueue(AT_ONCE);
    Awaitility.await("the sessions are under way")
        .atMost(PATIENCE)
        .until(() -> all.requests() >= 2 * AT_ONCE);
    int before = all.requests();
    all.trouble(
        ModelBehaviour.error(429, "rate_limit_error", "slow down", Map.of("Retry-After", "1")));
    chaos.pass(half);
    asked = all.requests() - before;
    all.shut();
    chaos.pass(half);
    all.trouble(null);
    all.open();
  }

  @Override
  public double goesOn() {
    return 0.4;
  }

  @Override
  public void check(Chaos chaos) throws Exception {
    Sessions all = Objects.requireNonNull(sessions);
    all.check();
    assertThat(all.holds()).as("sessions that a person had to see to").isEmpty();
    System.out.println(asked + " requests while the provider said 429");
    assertThat(asked)
        .as("requests while the provider said 429")
        .isPositive()
        .isLessThan(
            AT_ONCE
                + MOST_PER_SECOND
                    * Math.toIntExact(chaos.options.length().dividedBy(2).toSeconds()));
  }

  @Override
  public void leave() {
    Sessions open = sessions;
    if (open != null) {
      open.close();
    }
  }
}
