package dev.holdfast.tool;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchException;

import ch.qos.logback.classic.Level;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.testing.LogLines;
import java.io.IOException;
import java.net.ConnectException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("The retries of one tool")
class ToolRetryTest {
  private final List<Duration> sleeps = new ArrayList<>();
  private final List<String> progress = new ArrayList<>();
  private Duration timeLeft = Duration.ofHours(1);
  private int calls;

  private final ToolProgress listener =
      new ToolProgress() {
        @Override
        public void starting(ToolCall call) {
          // Not looked at here.
        }

        @Override
        public void retrying(ToolRetrying retry) {
          progress.add(retry.text());
        }

        @Override
        public void finished(ToolReply reply) {
          // Not looked at here.
        }
      };

  private ToolRetry retry(int maxAttempts, double random) {
    return new ToolRetry(
        ToolRetrySettings.defaults().withMaxAttempts(maxAttempts),
        sleeps::add,
        () -> random,
        () -> timeLeft);
  }

  private Exception failing(Exception error, int times) {
    return failing(retry(3, 0), error, times, true);
  }

  private Exception failing(ToolRetry retry, Exception error, int times, boolean repeatable) {
    calls = 0;
    return catchException(
        () ->
            retry.call(
                TestTool.call("grep"),
                repeatable,
                listener,
                attempt -> {
                  assertThat(attempt).isEqualTo(++calls);
                  if (calls <= times) {
                    throw error;
                  }
                  return "found";
                }));
  }

  @Test
  @DisplayName("C1, C37: a tool that always fails is called three times in total")
  void threeAttempts() {
    failing(new ToolExecutionException("no"), 99);
    assertThat(calls).isEqualTo(3);
  }

  @Test
  @DisplayName("C2: delay(n) = min(0.5 * 2^(n-1), 5.0) s")
  void delays() {
    List<Long> millis = new ArrayList<>();
    for (int n = 1; n <= 6; n++) {
      millis.add(ToolRetrySettings.defaults().delay(n, 0).toMillis());
    }
    assertThat(millis).containsExactly(500L, 1000L, 2000L, 4000L, 5000L, 5000L);
    assertThat(ToolRetrySettings.defaults().delay(Integer.MAX_VALUE, 0)).hasSeconds(5);
  }

  @Test
  @DisplayName("C3: up to 10 % of the delay is added, also above the cap, and never taken off")
  void jitter() {
    ToolRetrySettings settings = ToolRetrySettings.defaults();
    assertThat(settings.delay(1, 0)).hasMillis(500);
    assertThat(settings.delay(1, 1)).hasMillis(550);
    assertThat(settings.delay(9, 0)).hasMillis(5000);
    assertThat(settings.delay(9, 1)).hasMillis(5500);
  }

  @Test
  @DisplayName("C4, C37, T12: with three attempts it sleeps twice, 0.5 s and 1 s")
  void sleepsBetweenAttempts() {
    failing(new ToolExecutionException("no"), 99);
    assertThat(sleeps).containsExactly(Duration.ofMillis(500), Duration.ofSeconds(1));
  }

  @Test
  @DisplayName("C5, C7, C8, C37: what must not be retried comes out at once, the same instance")
  void neverRetried() {
    for (Exception error :
        List.of(
            new ModelRetryException("mend it"),
            new InterruptedException(),
            new ClosedByInterruptException(),
            new ValidationException("bad"),
            new ValidationException("bad") {},
            new ConfigurationException("bad"),
            new SecurityViolationException("out"),
            new SecurityException("out"),
            new GlobalRequestTimeoutException("late"),
            new StateException("wrong"))) {
      assertThat(failing(error, 99)).isSameAs(error);
      assertThat(calls).as(error.getClass().getName()).isEqualTo(1);
    }
    assertThat(sleeps).isEmpty();
  }

  @Test
  @DisplayName("C5: what ends the JVM's own work (an Error) is not retried")
  void errors() {
    Error error = new StackOverflowError();
    assertThatThrownBy(
            () ->
                retry(3, 0)
                    .call(
                        TestTool.call("grep"),
                        true,
                        listener,
                        attempt -> {
                          calls++;
                          throw error;
                        }))
        .isSameAs(error);
    assertThat(calls).isEqualTo(1);
  }

  @Test
  @DisplayName(
      "C6, C7, C9, T11: everything else is tried three times and comes out as it was thrown")
  void retried() {
    for (Exception error :
        List.of(
            new ToolExecutionException("no"),
            new FileOperationException("no"),
            new TooBroadPatternException("no"),
            new TimeoutException(),
            new ConnectException(),
            new IOException(),
            new IllegalStateException(),
            new Exception())) {
      assertThat(failing(error, 99)).isSameAs(error);
      assertThat(calls).as(error.getClass().getName()).isEqualTo(3);
    }
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2})
  @DisplayName("C10, C37: a success on attempt 2 or 3 leaves no trace of the failures before it")
  void succeedsLater(int failures) throws Exception {
    ToolRetry retry = retry(3, 0);
    assertThat(failing(retry, new IOException(), failures, true)).isNull();
    assertThat(calls).isEqualTo(failures + 1);
    calls = 0;
    assertThat(failing(retry, new IOException(), 99, true)).isNotNull();
    assertThat(calls).isEqualTo(3);
  }

  @Test
  @ResourceLock(Resources.GLOBAL)
  @DisplayName("C11, C12: each retry warns in the documented words; the final failure is an error")
  void logs() {
    try (LogLines lines = new LogLines(ToolRetry.class)) {
      failing(retry(3, 1), new IOException("disk\nfull"), 99, true);
      assertThat(lines.of(Level.WARN))
          .containsExactly(
              "Tool 'grep' failed (attempt 1/3), retrying in 0.6s: IOException: disk full",
              "Tool 'grep' failed (attempt 2/3), retrying in 1.1s: IOException: disk full");
      assertThat(lines.of(Level.ERROR))
          .containsExactly("Tool 'grep' failed for good (attempt 3/3): IOException: disk full");
    }
    try (LogLines lines = new LogLines(ToolRetry.class)) {
      failing(new IOException(), 0);
      failing(new ModelRetryException("mend it"), 99);
      assertThat(lines.of(Level.WARN)).isEmpty();
      assertThat(lines.of(Level.ERROR)).isEmpty();
    }
  }

  @Test
  @DisplayName("C13: an interrupt ends the wait between two attempts and comes out")
  void interruptedWait() {
    ToolRetry retry =
        new ToolRetry(
            ToolRetrySettings.defaults(),
            time -> {
              throw new InterruptedException("shutdown");
            },
            () -> 0,
            TimeLeft.UNBOUNDED);
    assertThat(failing(retry, new IOException(), 99, true))
        .isInstanceOf(InterruptedException.class)
        .hasMessage("shutdown");
    assertThat(calls).isEqualTo(1);
  }

  @Test
  @DisplayName("C15: 1 is no retry, less is a configuration error that names the key")
  void bounds() {
    failing(retry(1, 0), new IOException(), 99, true);
    assertThat(calls).isEqualTo(1);
    assertThat(sleeps).isEmpty();
    for (int bad : new int[] {0, -1}) {
      assertThatThrownBy(() -> retry(bad, 0))
          .isInstanceOf(ConfigurationException.class)
          .hasMessageContaining("tools.max-retries");
    }
  }

  @Test
  @DisplayName("C33: the progress text counts the attempt that comes")
  void progressText() {
    failing(new IOException(), 99);
    assertThat(progress)
        .containsExactly(
            "Tool 'grep' failed, retrying (2/3)...", "Tool 'grep' failed, retrying (3/3)...");
  }

  @Test
  @DisplayName("C7: no retry waits past the deadline: the failure comes out at once")
  void noWaitPastTheDeadline() {
    timeLeft = Duration.ofMillis(400);
    Exception disk = new IOException("disk");
    assertThat(failing(disk, 99)).isSameAs(disk);
    assertThat(calls).isEqualTo(1);
    assertThat(sleeps).isEmpty();
    assertThat(progress).isEmpty();
  }

  @Test
  @DisplayName("C38: after a timeout only what is repeatable runs again, however it is wrapped")
  void possiblyApplied() {
    Exception wrapped = new ToolExecutionException("no", new TimeoutException());
    failing(retry(3, 0), wrapped, 99, false);
    assertThat(calls).isEqualTo(1);
    failing(retry(3, 0), wrapped, 99, true);
    assertThat(calls).isEqualTo(3);
    failing(retry(3, 0), new IOException(), 99, false);
    assertThat(calls).isEqualTo(3);
    failing(retry(3, 0), new PossiblyAppliedException("gone", null), 99, false);
    assertThat(calls).isEqualTo(1);
  }
}
