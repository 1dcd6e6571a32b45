package dev.holdfast.llm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallRetryOptions.Overrides;
import dev.holdfast.llm.ProviderEvent.ProviderRequestFinished;
import dev.holdfast.llm.ProviderEvent.ProviderRequestStarted;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.testing.ModelBehaviour;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ProviderCallRetryTest extends ProviderFixture {
  private final List<Long> slept = new ArrayList<>();
  private final List<ProviderEvent> events = new ArrayList<>();
  private final Sleeper sleeper = time -> slept.add(time.toMillis());

  private ProviderCallRetry retry(double random) {
    return retry(CallRetryOptions.DEFAULTS, random, sleeper);
  }

  private ProviderCallRetry retry(CallRetryOptions options, double random, Sleeper with) {
    return new ProviderCallRetry(options, with, System::nanoTime, () -> random, events::add);
  }

  private static RetryContext context() {
    return new RetryContext(Duration.ofHours(1), 0, System::nanoTime);
  }

  private CallResult call(ProviderCallRetry retry) throws InterruptedException {
    return retry.call(provider(Vendor.OPENAI), request(), context(), Overrides.NONE);
  }

  private static ModelBehaviour status(int status) {
    return ModelBehaviour.status(
        status, Map.of(), "{\"error\":{\"message\":\"no " + status + "\"}}");
  }

  @Test
  @DisplayName("E1, E5: four requests at most, 1 s, 2 s and 4 s apart")
  void defaults() throws InterruptedException {
    models.always(status(503));
    assertThat(call(retry(0))).isInstanceOf(CallResult.Failed.class);
    assertThat(models.requests()).hasSize(4);
    assertThat(slept).containsExactly(1_000L, 2_000L, 4_000L);
  }

  @ParameterizedTest
  @CsvSource({"1, 1000", "2, 2000", "3, 4000", "4, 8000", "5, 10000", "6, 10000", "5000, 10000"})
  @DisplayName("E5: the delay doubles up to its cap")
  void delays(int retry, long millis) {
    assertThat(CallRetryOptions.DEFAULTS.delay(retry)).isEqualTo(Duration.ofMillis(millis));
  }

  @ParameterizedTest
  @CsvSource({"-1, 1000, 900", "0, 1000, 1000", "1, 1000, 1100", "1, 10000, 11000", "-1, 0, 0"})
  @DisplayName("E6, T2: the jitter is a tenth up or down, behind the cap")
  void jitter(double random, long initial, long expected) throws InterruptedException {
    models.always(status(500));
    CallRetryOptions options =
        new CallRetryOptions(1, Duration.ofMillis(initial), Duration.ofSeconds(10), 2);
    call(retry(options, random, sleeper));
    assertThat(slept).containsExactly(expected);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 500, 501, 502, 503, 504, 529, 599})
  @DisplayName("E2: 429 and each 5xx are tried again")
  void retriable(int status) throws InterruptedException {
    models.next(status(status)).always(ModelBehaviour.answer("ok"));
    assertThat(call(retry(0))).isInstanceOf(CallResult.Answer.class);
    assertThat(models.requests()).hasSize(2);
  }

  @Test
  @DisplayName("E2, E4: refused and reset connections and timeouts are tried again")
  void retriableNetwork() throws InterruptedException {
    models.next(
        ModelBehaviour.dropBeforeFirstByte(),
        ModelBehaviour.dropBeforeFirstByte(),
        ModelBehaviour.dropAfterFirstByte(),
        ModelBehaviour.hang());
    ChatRequest request = request(Duration.ofMillis(500));
    CallResult result = retry(0).call(provider(Vendor.OPENAI), request, context(), Overrides.NONE);
    assertThat(result).isInstanceOf(CallResult.Answer.class);
    assertThat(slept).hasSize(3);
    ChatProvider nobody = provider(Vendor.OPENAI);
    models.close();
    slept.clear();
    retry(0).call(nobody, request, context(), Overrides.NONE);
    assertThat(slept).hasSize(3);
  }

  @ParameterizedTest
  @ValueSource(ints = {400, 401, 402, 403, 404, 409, 413, 422})
  @DisplayName("E3: no other 4xx is tried again")
  void notRetriable(int status) throws InterruptedException {
    models.always(status(status));
    assertThat(call(retry(0))).isInstanceOf(CallResult.Failed.class);
    assertThat(models.requests()).hasSize(1);
    assertThat(slept).isEmpty();
  }

  @Test
  @DisplayName("E3: an answer that is none is not tried again")
  void notRetriableGarbage() throws InterruptedException {
    models.always(ModelBehaviour.html(200, "<html>"));
    call(retry(0));
    assertThat(models.requests()).hasSize(1);
  }

  @Test
  @DisplayName("E7: what a target says wins over the worker's options, and the rest of those stay")
  void overrides() throws InterruptedException {
    models.always(status(500));
    ProviderCallRetry workers =
        retry(new CallRetryOptions(2, Duration.ofMillis(10), Duration.ofMillis(15), 2), 0, sleeper);
    call(workers);
    assertThat(slept).containsExactly(10L, 15L);
    slept.clear();
    workers.call(provider(Vendor.OPENAI), request(), context(), new Overrides(1, null, null, null));
    assertThat(slept).containsExactly(10L);
  }

  @Test
  @DisplayName("E8, E11: an abort before the first call makes no request, and is told")
  void abortedBefore() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> call(retry(0))).isInstanceOf(InterruptedException.class);
    assertThat(models.requests()).isEmpty();
    assertThat(events).first().isEqualTo(new ProviderRequestStarted("OPENAI", "m-1"));
    finished(0, false, "aborted");
    assertThat(((ProviderRequestFinished) events.getLast()).sent()).isFalse();
  }

  @Test
  @DisplayName("E8, E11: an abort during the wait ends at once and comes out as it is")
  void abortedDuringWait() {
    models.always(status(500));
    InterruptedException abort = new InterruptedException("stop");
    Sleeper aborting =
        _ -> {
          throw abort;
        };
    assertThatThrownBy(() -> call(retry(CallRetryOptions.DEFAULTS, 0, aborting))).isSameAs(abort);
    assertThat(models.requests()).hasSize(1);
    finished(0, false, "aborted");
  }

  @Test
  @Timeout(120)
  @DisplayName("E9: the request's timeout holds for each try")
  void timeoutOfEachTry() throws InterruptedException {
    models.always(ModelBehaviour.hang());
    RetryContext context = new RetryContext(Duration.ofHours(1), 0, System::nanoTime);
    CallResult result =
        retry(new CallRetryOptions(1, Duration.ZERO, Duration.ZERO, 1), 0, sleeper)
            .call(
                provider(Vendor.OPENAI), request(Duration.ofMillis(400)), context, Overrides.NONE);
    assertThat(models.requests()).hasSize(2);
    assertThat(((CallResult.Failed) result).message()).contains("no complete answer");
  }

  @Test
  @Timeout(120)
  @DisplayName("E9: the deadline holds for all tries, and cuts the one that is under way")
  void deadline() throws InterruptedException {
    models.next(status(500)).always(ModelBehaviour.hang());
    // The time of all tries is over with the second one, however fast this machine is.
    LongSupplier clock = () -> models.requests().size() < 2 ? 0 : Duration.ofHours(1).toNanos();
    RetryContext context = new RetryContext(Duration.ofMillis(400), 0, clock);
    CallResult result =
        retry(new CallRetryOptions(3, Duration.ZERO, Duration.ZERO, 1), 0, sleeper)
            .call(provider(Vendor.OPENAI), request(Duration.ofHours(1)), context, Overrides.NONE);
    assertThat(models.requests()).hasSize(2);
    assertThat(((CallResult.Failed) result).message()).contains("no complete answer");
  }

  @Test
  @DisplayName("E9: no wait goes past the deadline; the last failure comes out")
  void noWaitPastDeadline() throws InterruptedException {
    models.always(status(500));
    RetryContext context = new RetryContext(Duration.ofMillis(900), 0, System::nanoTime);
    CallResult result = retry(0).call(provider(Vendor.OPENAI), request(), context, Overrides.NONE);
    assertThat(((CallResult.Failed) result).httpStatus()).isEqualTo(500);
    assertThat(slept).isEmpty();
  }

  @Test
  @DisplayName("E9: the budget of calls is kept, and what it hides is named")
  void budget() throws InterruptedException {
    models.always(status(500));
    RetryContext context = new RetryContext(Duration.ofHours(1), 2, System::nanoTime);
    CallResult.Failed failed =
        (CallResult.Failed)
            retry(0).call(provider(Vendor.OPENAI), request(), context, Overrides.NONE);
    assertThat(models.requests()).hasSize(2);
    assertThat(failed.kind()).isEqualTo(FailureKind.OUT_OF_BUDGET);
    assertThat(failed.httpStatus()).isEqualTo(500);
    assertThat(failed.message()).contains("no 500");
  }

  @Test
  @DisplayName("E10: one event at the start and one at the end, with retries and duration")
  void events() throws InterruptedException {
    models.next(status(500), status(502)).always(ModelBehaviour.answer("ok"));
    AtomicInteger now = new AtomicInteger();
    Sleeper clock = time -> now.addAndGet((int) time.toMillis());
    ProviderCallRetry retry =
        new ProviderCallRetry(
            CallRetryOptions.DEFAULTS, clock, () -> now.get() * 1_000_000L, () -> 0, events::add);
    call(retry);
    assertThat(models.requests()).hasSize(3);
    assertThat(events)
        .containsExactly(
            new ProviderRequestStarted("OPENAI", "m-1"),
            new ProviderRequestFinished("OPENAI", 2, true, 3_000, null));
    events.clear();
    models.always(status(400));
    call(retry);
    finished(0, false, "HTTP 400: no 400");
  }

  private void finished(int retries, boolean success, String error) {
    assertThat(events).hasSize(2);
    ProviderRequestFinished finished = (ProviderRequestFinished) events.getLast();
    assertThat(finished.retries()).isEqualTo(retries);
    assertThat(finished.success()).isEqualTo(success);
    assertThat(finished.error()).isEqualTo(error);
  }

  @ParameterizedTest
  @CsvSource({"3, 3000", "1, 1100", "10, 10000"})
  @DisplayName("E12: a Retry-After raises the delay")
  void retryAfter(String seconds, long expected) throws InterruptedException {
    models.next(ModelBehaviour.error(429, "x", "slow", Map.of("Retry-After", seconds)));
    assertThat(call(retry(1))).isInstanceOf(CallResult.Answer.class);
    assertThat(slept).containsExactly(expected);
  }

  @Test
  @DisplayName("E12: a Retry-After above the cap fails at once and is passed up")
  void longRetryAfter() throws InterruptedException {
    models.next(ModelBehaviour.error(429, "x", "slow", Map.of("Retry-After", "3600")));
    CallResult.Failed failed = (CallResult.Failed) call(retry(0));
    assertThat(failed.retryAfter()).isEqualTo(Duration.ofHours(1));
    assertThat(slept).isEmpty();
  }

  /** A server behind a guard that lets so many calls pass. */
  private record Guarded(ChatProvider server, AtomicInteger left) implements ChatProvider {
    static final Standstill CLOSED =
        new Standstill(
            Standstill.Kind.COOLING,
            Duration.ofMinutes(1),
            false,
            List.of("OPENAI/-/m-1"),
            "OPENAI: outage",
            null);

    @Override
    public String name() {
      return server.name();
    }

    @Override
    public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
      return left.getAndDecrement() > 0
          ? server.call(request, stream)
          : new CallResult.Refused(CLOSED);
    }

    @Override
    public Optional<Standstill> standstill(String model) {
      return left.get() > 0 ? Optional.empty() : Optional.of(CLOSED);
    }

    @Override
    public Optional<BigDecimal> cost(String model, Usage usage) {
      return server.cost(model, usage);
    }

    @Override
    public void close() {
      server.close();
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0, false, 503, 0",
    "1, 0, true, 503, 1",
    "2, 1, true, 503, 1",
    "2, 1, true, 502, 1"
  })
  @DisplayName(
      "E10: neither a call that is not sent nor one that closes its provider is taken off the"
          + " budget; the first is no retry, either")
  void refused(int sent, int retries, boolean any, int status, int uncounted)
      throws InterruptedException {
    models.always(status(status));
    RetryContext context = new RetryContext(Duration.ofHours(1), 3, System::nanoTime);
    ChatProvider provider = new Guarded(provider(Vendor.OPENAI), new AtomicInteger(sent));
    assertThat(retry(0).call(provider, request(), context, Overrides.NONE))
        .isEqualTo(new CallResult.Refused(Guarded.CLOSED));
    assertThat(models.requests()).hasSize(sent);
    finished(retries, false, "OPENAI: outage");
    assertThat(((ProviderRequestFinished) events.getLast()).sent()).isEqualTo(any);
    assertThat(((ProviderRequestFinished) events.getLast()).uncounted()).isEqualTo(uncounted);
    for (int left = 3 - sent + uncounted; left > 0; left--) {
      assertThat(context.takeCall()).isTrue();
    }
    assertThat(context.takeCall()).isFalse();
  }

  /** Its budget lets nothing pass, as a session's does for its summaries. */
  private record OverBudget(CallResult.Failed refusal) implements ChatProvider {
    @Override
    public String name() {
      return "over";
    }

    @Override
    public CallResult call(ChatRequest request, StreamListener stream) {
      return refusal;
    }

    @Override
    public Optional<BigDecimal> cost(String model, Usage usage) {
      return Optional.empty();
    }

    @Override
    public void close() {}
  }

  @Test
  @DisplayName("E10: a call that a budget refuses is not sent, and not taken off the budget")
  void overBudget() throws InterruptedException {
    RetryContext context = new RetryContext(Duration.ofHours(1), 1, System::nanoTime);
    CallResult.Failed refusal = Calls.failed(FailureKind.OUT_OF_BUDGET, false, "too dear");
    assertThat(retry(0).call(new OverBudget(refusal), request(), context, Overrides.NONE))
        .isEqualTo(refusal);
    finished(0, false, "too dear");
    assertThat(((ProviderRequestFinished) events.getLast()).sent()).isFalse();
    assertThat(context.takeCall()).isTrue();
    assertThat(context.takeCall()).isFalse();
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "2, 1"})
  @DisplayName("E10: a retry for which no call is left is none")
  void notRetried(int calls, int retries) throws InterruptedException {
    models.always(status(503));
    RetryContext context = new RetryContext(Duration.ofHours(1), calls, System::nanoTime);
    retry(0).call(provider(Vendor.OPENAI), request(), context, Overrides.NONE);
    ProviderRequestFinished finished = (ProviderRequestFinished) events.getLast();
    assertThat(finished.retries()).isEqualTo(retries);
    assertThat(finished.sent()).isTrue();
    events.clear();
    retry(0).call(provider(Vendor.OPENAI), request(), context, Overrides.NONE);
    finished = (ProviderRequestFinished) events.getLast();
    assertThat(finished.retries()).isZero();
    assertThat(finished.sent()).isFalse();
    assertThat(models.requests()).hasSize(calls);
  }
}
