package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.holdfast.llm.ProviderEvent;
import dev.holdfast.llm.ProviderEvent.ProviderRequestFinished;
import dev.holdfast.session.event.ProviderRequests;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ProviderRequestsTest {
  private final List<ProviderEvent> told = new ArrayList<>();

  private Bench listening(Bench bench) {
    bench.listeners.add(new ProviderRequests(told::add));
    return bench;
  }

  @Test
  @DisplayName("E10, E48: a turn's tries at one provider are one request, told with its retries")
  void retried() {
    Bench bench =
        listening(
            Bench.guarded(
                Replies.rateLimit(Duration.ofSeconds(2)),
                Replies.rateLimit(Duration.ofSeconds(3)),
                Replies.look("a"),
                Replies.report()));

    bench.run();

    assertThat(told)
        .containsExactly(
            new ProviderRequestFinished("one", 2, true, 5_000, null),
            new ProviderRequestFinished("one", 0, true, 0, null));
  }

  @Test
  @DisplayName("E10, E48: an answer that the session discards is an answer; the next is a request")
  void discarded() {
    listening(Bench.with(Replies.text("hm"), Replies.report())).run();

    assertThat(told)
        .containsExactly(
            new ProviderRequestFinished("one", 0, true, 0, null),
            new ProviderRequestFinished("one", 0, true, 0, null));
  }

  @Test
  @DisplayName("E10, E48: each provider that a turn asked has its own request, failed ones too")
  void providers() {
    Bench bench = listening(Bench.with(Replies.rateLimit(null)));
    bench.target("two", Replies.report());

    bench.run();

    assertThat(told)
        .extracting(ProviderEvent::provider, each -> ((ProviderRequestFinished) each).success())
        .containsExactlyInAnyOrder(tuple("one", false), tuple("two", true));
  }

  @Test
  @DisplayName("E10: a request that is given up tells its last error")
  void givenUp() {
    Bench bench = listening(Bench.with(Replies.rateLimit(null)));
    bench.maxRetries(3).run();

    assertThat(told).hasSize(1);
    ProviderRequestFinished finished = (ProviderRequestFinished) told.getFirst();
    assertThat(finished.retries()).isEqualTo(2);
    assertThat(finished.success()).isFalse();
    assertThat(finished.error()).contains("429");
  }
}
