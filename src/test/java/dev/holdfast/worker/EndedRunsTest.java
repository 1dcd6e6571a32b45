package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Classifier;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.Finish;
import dev.holdfast.secret.Secrets;
import dev.holdfast.worker.EndedRuns.Wanted;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class EndedRunsTest {
  private static final HandlerResult DONE = HandlerResult.done(null);
  private static final HandlerResult FAILED = HandlerResult.failed(ErrorReport.ofText("broken"));

  private EndedRuns ended = new EndedRuns();
  private long lastId;

  private void end(int count, HandlerResult result) {
    for (int i = 0; i < count; i++) {
      new TicketRun(
              Claimed.ticket(++lastId),
              context -> result,
              Classifier.standard(),
              new FinishRedaction(Secrets.NONE),
              id -> true,
              trouble -> {},
              ticket -> Tracing.Attempt.NONE,
              ended::add)
          .run();
    }
  }

  private List<Long> take(Wanted wanted) throws InterruptedException {
    return ended.poll(wanted, Duration.ZERO).stream().map(TicketRun::ticketId).toList();
  }

  @Test
  @DisplayName("2,000 successes are stored at once at most, first come first")
  void successes() throws InterruptedException {
    end(2_001, DONE);
    assertThat(take(Wanted.SUCCESSES_FIRST)).hasSize(2_000).startsWith(1L, 2L).endsWith(2_000L);
    assertThat(take(Wanted.SUCCESSES_FIRST)).containsExactly(2_001L);
    assertThat(take(Wanted.SUCCESSES_FIRST)).isEmpty();
  }

  @Test
  @DisplayName("500 failures are stored at once at most, first come first")
  void failures() throws InterruptedException {
    end(501, FAILED);
    assertThat(take(Wanted.SUCCESSES_FIRST)).hasSize(500).startsWith(1L, 2L).endsWith(500L);
    assertThat(take(Wanted.OTHERS_FIRST)).containsExactly(501L);
  }

  @Test
  @DisplayName("a batch is never mixed: successes first, and none for who wants no successes")
  void neverMixed() throws InterruptedException {
    ended = new EndedRuns(() -> 0);
    end(1, FAILED);
    end(2, DONE);
    end(1, FAILED);
    assertThat(take(Wanted.SUCCESSES_FIRST)).containsExactly(2L, 3L);
    end(1, DONE);
    assertThat(take(Wanted.OTHERS_FIRST)).containsExactly(1L, 4L);
    assertThat(take(Wanted.OTHERS_FIRST)).isEmpty();
    assertThat(take(Wanted.SUCCESSES_FIRST)).containsExactly(5L);
  }

  @Test
  @DisplayName("successes are for the other one, too, while the first stores a batch for long")
  void slow() throws InterruptedException {
    end(2_002, DONE);
    assertThat(take(Wanted.OTHERS_FIRST)).isEmpty();
    assertThat(take(Wanted.SUCCESSES_FIRST)).hasSize(2_000);
    assertThat(ended.poll(Wanted.OTHERS_FIRST, Duration.ofSeconds(20))).hasSize(2);
    end(1, DONE);
    end(1, FAILED);
    assertThat(take(Wanted.OTHERS_FIRST)).containsExactly(2_004L);
    assertThat(take(Wanted.SUCCESSES_FIRST)).containsExactly(2_003L);
    assertThat(take(Wanted.SUCCESSES_FIRST)).isEmpty();
    end(1, DONE);
    assertThat(take(Wanted.OTHERS_FIRST)).isEmpty();
  }

  @Test
  @DisplayName("large results end a batch: no more than 8 million characters and the last result")
  void large() throws InterruptedException {
    end(10, HandlerResult.done("\"" + "x".repeat(3_000_000) + "\""));
    assertThat(take(Wanted.SUCCESSES_FIRST)).containsExactly(1L, 2L, 3L);
    assertThat(take(Wanted.SUCCESSES_FIRST)).hasSize(3);
  }

  @Test
  @DisplayName("it is closed for somebody once what he wants has been taken")
  void closed() throws InterruptedException {
    end(1, DONE);
    assertThat(ended.isClosed(Wanted.SUCCESSES_FIRST)).isFalse();
    ended.close();
    assertThat(ended.isClosed(Wanted.SUCCESSES_FIRST)).isFalse();
    assertThat(ended.isClosed(Wanted.OTHERS_FIRST)).isTrue();
    assertThat(ended.take(Wanted.SUCCESSES_FIRST).getFirst().finish())
        .isInstanceOf(Finish.Succeeded.class);
    assertThat(ended.isClosed(Wanted.SUCCESSES_FIRST)).isTrue();
    assertThat(ended.take(Wanted.SUCCESSES_FIRST)).isEmpty();
  }
}
