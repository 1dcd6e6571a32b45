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

  private final EndedRuns ended = new EndedRuns();
  private long lastId;

  private void end(int count, HandlerResult result) {
    for (int i = 0; i < count; i++) {
      new TicketRun(
              Claimed.ticket(++lastId),
              context -> result,
              Classifier.standard(),
              new FinishRedaction(Secrets.NONE),
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
    assertThat(take(Wanted.ANY)).hasSize(2_000).startsWith(1L, 2L).endsWith(2_000L);
    assertThat(take(Wanted.ANY)).containsExactly(2_001L);
    assertThat(take(Wanted.ANY)).isEmpty();
  }

  @Test
  @DisplayName("500 failures are stored at once at most, first come first")
  void failures() throws InterruptedException {
    end(501, FAILED);
    assertThat(take(Wanted.ANY)).hasSize(500).startsWith(1L, 2L).endsWith(500L);
    assertThat(take(Wanted.NO_SUCCESSES)).containsExactly(501L);
  }

  @Test
  @DisplayName("a batch is never mixed: successes first, and none for who wants no successes")
  void neverMixed() throws InterruptedException {
    end(1, FAILED);
    end(2, DONE);
    end(1, FAILED);
    assertThat(take(Wanted.ANY)).containsExactly(2L, 3L);
    end(1, DONE);
    assertThat(take(Wanted.NO_SUCCESSES)).containsExactly(1L, 4L);
    assertThat(take(Wanted.NO_SUCCESSES)).isEmpty();
    assertThat(take(Wanted.ANY)).containsExactly(5L);
  }

  @Test
  @DisplayName("large results end a batch: no more than 8 million characters and the last result")
  void large() throws InterruptedException {
    end(10, HandlerResult.done("\"" + "x".repeat(3_000_000) + "\""));
    assertThat(take(Wanted.ANY)).containsExactly(1L, 2L, 3L);
    assertThat(take(Wanted.ANY)).hasSize(3);
  }

  @Test
  @DisplayName("it is closed for somebody once what he wants has been taken")
  void closed() throws InterruptedException {
    end(1, DONE);
    assertThat(ended.isClosed(Wanted.ANY)).isFalse();
    ended.close();
    assertThat(ended.isClosed(Wanted.ANY)).isFalse();
    assertThat(ended.isClosed(Wanted.NO_SUCCESSES)).isTrue();
    assertThat(ended.take(Wanted.ANY).getFirst().finish()).isInstanceOf(Finish.Succeeded.class);
    assertThat(ended.isClosed(Wanted.ANY)).isTrue();
    assertThat(ended.take(Wanted.ANY)).isEmpty();
  }
}
