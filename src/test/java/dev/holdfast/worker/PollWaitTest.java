package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Claim;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PollWaitTest {
  private static final Duration SECOND = Duration.ofSeconds(1);

  private static Claim empty(@Nullable Duration nextDue) {
    return new Claim(List.of(), Optional.ofNullable(nextDue));
  }

  private static Claim one() {
    return new Claim(List.of(Claimed.ticket(1)), Optional.empty());
  }

  @Test
  @DisplayName("without proven notifications every wait is the interval")
  void notProven() {
    PollWait wait = new PollWait(SECOND, () -> false, () -> 0);
    for (int i = 0; i < 10; i++) {
      assertThat(wait.after(empty(null))).isEqualTo(SECOND);
    }
  }

  @Test
  @DisplayName("with proven notifications empty polls grow the wait fourfold; a find resets it")
  void proven() {
    PollWait wait = new PollWait(SECOND, () -> true, () -> 0);
    for (int seconds : List.of(1, 2, 3, 4, 4, 4)) {
      assertThat(wait.after(empty(null))).isEqualTo(Duration.ofSeconds(seconds));
    }
    assertThat(wait.after(one())).isEqualTo(SECOND);
    assertThat(wait.after(empty(null))).isEqualTo(SECOND);
  }

  @Test
  @DisplayName("a wait ends when the next deferred ticket is due")
  void due() {
    PollWait wait = new PollWait(SECOND, () -> true, () -> 0);
    assertThat(wait.after(empty(Duration.ofMillis(300)))).isEqualTo(Duration.ofMillis(301));
    assertThat(wait.after(empty(Duration.ZERO))).isEqualTo(Duration.ofMillis(1));
    assertThat(wait.after(empty(Duration.ofDays(9)))).isEqualTo(Duration.ofSeconds(3));
    assertThat(wait.after(empty(Duration.ofMillis(Long.MAX_VALUE))))
        .isEqualTo(Duration.ofSeconds(4));
  }

  @Test
  @DisplayName("jitter adds up to a tenth, so that workers do not poll in step")
  void jitter() {
    assertThat(new PollWait(SECOND, () -> false, () -> 0.5).after(empty(null)))
        .isEqualTo(Duration.ofMillis(1050));
    assertThat(new PollWait(SECOND, () -> false, () -> 0.5).unhealthy())
        .isEqualTo(Duration.ofMillis(1050));
  }
}
