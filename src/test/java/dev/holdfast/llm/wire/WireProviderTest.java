package dev.holdfast.llm.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.Account;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Calls;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Price;
import dev.holdfast.llm.Prices;
import dev.holdfast.llm.ProviderSettings;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import dev.holdfast.llm.WireListener;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigDecimal;
import java.net.ConnectException;
import java.net.SocketException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** One request on a thread of its own, over an API in memory. */
@Timeout(120)
class WireProviderTest {
  private static final String SECRET = "sk-secret-1";

  private final List<WireCall> wire = new ArrayList<>();
  private final List<String> keys = new ArrayList<>();
  private final Deque<Exchange> script = new ArrayDeque<>();
  private final AtomicLong nanos = new AtomicLong(Long.MAX_VALUE - 1);
  private final AtomicInteger closed = new AtomicInteger();
  private List<String> secrets = List.of(SECRET, "sk-secret-2");
  private WireListener listener = wire::add;

  /** What a vendor's SDK does with a request. */
  @FunctionalInterface
  private interface Exchange {
    CallResult run(Transmission transmission) throws Exception;
  }

  /** Plays the script; its exceptions come out whatever they are, as Kotlin's do. */
  private final class Api implements VendorApi {
    @Override
    public CallResult exchange(ChatRequest request, String key, Transmission transmission) {
      keys.add(key);
      try {
        return script.removeFirst().run(transmission);
      } catch (Exception e) {
        throw sneaky(e);
      }
    }

    @Override
    public void close() {
      closed.incrementAndGet();
    }
  }

  @SuppressWarnings("unchecked")
  private static <E extends Exception> RuntimeException sneaky(Exception e) throws E {
    throw (E) e;
  }

  private WireProvider provider() {
    BigDecimal usd = new BigDecimal("1000000");
    Prices prices = new Prices(Map.of("m-1", Price.of(usd, usd)));
    return new WireProvider(
        new ProviderSettings("p", null, secrets, prices, 1_000),
        new Api(),
        listener,
        nanos::get,
        Clock.fixed(Instant.EPOCH, ZoneOffset.UTC));
  }

  private CallResult call(Exchange... exchanges) throws InterruptedException {
    script.addAll(List.of(exchanges));
    return provider().call(Calls.request(), StreamListener.NONE);
  }

  private CallResult.Failed failed(Exchange... exchanges) throws InterruptedException {
    return (CallResult.Failed) call(exchanges);
  }

  private static Exchange throwing(Exception e) {
    return _ -> {
      throw e;
    };
  }

  private static void opened(Transmission transmission, int status, String body) {
    transmission.opened(status, Map.of(), "r-1", new ByteArrayInputStream(body.getBytes()));
  }

  @Test
  @DisplayName("B70: an answer comes out with its pieces, and is told with what it cost")
  void answer() throws InterruptedException {
    List<String> heard = new ArrayList<>();
    script.add(
        transmission -> {
          opened(transmission, 200, "data: x");
          AnswerBuilder answer = transmission.newAnswer();
          answer.text("a");
          answer.call("x").name("t");
          answer.reasoning("b");
          nanos.addAndGet(5_000_000);
          return answer.build(StopReason.END, new Usage(2, 0, 0, 1), null);
        });
    CallResult result = provider().call(Calls.request(), new AnswerBuilderTest.Hearing(heard));
    assertThat(result).isInstanceOf(CallResult.Answer.class);
    assertThat(heard).containsExactly("text a", "call t", "reasoning b");
    assertThat(keys).containsExactly(SECRET);
    WireCall call = wire.getFirst();
    assertThat(call.target()).isEqualTo(new Target("p", "m-1"));
    assertThat(call.key()).isEqualTo("key-1");
    assertThat(call.failure()).isNull();
    assertThat(call.httpStatus()).isEqualTo(200);
    assertThat(call.requestId()).isEqualTo("r-1");
    assertThat(call.usage()).isEqualTo(new Usage(2, 0, 0, 1));
    assertThat(call.costUsd()).isEqualByComparingTo("3");
    assertThat(call.latency()).isEqualTo(Duration.ofMillis(5));
    assertThat(call.maybeBilled()).isTrue();
    assertThat(wire).hasSize(1);
  }

  @Test
  @DisplayName("B70: an answer that is cut is told with the usage that was known by then")
  void cutAnswer() throws InterruptedException {
    CallResult.Failed failed =
        failed(
            transmission -> {
              opened(transmission, 200, "data: x");
              transmission.usage(new Usage(7, 0, 0, 1));
              throw new SocketException("reset");
            });
    assertThat(failed.kind()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(failed.usage()).isEqualTo(new Usage(7, 0, 0, 1));
    assertThat(wire)
        .singleElement()
        .satisfies(
            call -> {
              assertThat(call.failure()).isEqualTo(FailureKind.NETWORK_ERROR);
              assertThat(call.usage()).isEqualTo(new Usage(7, 0, 0, 1));
              assertThat(call.costUsd()).isEqualByComparingTo("8");
            });
  }

  @Test
  @DisplayName("each account is called with its own key, another's is refused")
  void accounts() throws InterruptedException {
    WireProvider provider = provider();
    List<Account> accounts = provider.accounts();
    assertThat(accounts).extracting(Account::label).containsExactly("key-1", "key-2");
    assertThat(accounts)
        .extracting(Account::keyId)
        .doesNotHaveDuplicates()
        .allMatch(id -> id.matches("[0-9a-f]{12}"));
    script.add(_ -> Calls.answer("x", Usage.NONE));
    provider.call(Calls.request(), accounts.getLast(), StreamListener.NONE);
    assertThat(keys).containsExactly("sk-secret-2");
    assertThat(wire).extracting(WireCall::key).containsExactly("key-2");
    Account foreign = new Account("p", "x", "key-3");
    assertThatThrownBy(() -> provider.call(Calls.request(), foreign, StreamListener.NONE))
        .hasMessageContaining("no account of ours");
  }

  @Test
  @DisplayName("a server that wants no key has one account without one")
  void noKey() throws InterruptedException {
    secrets = List.of();
    assertThat(provider().accounts()).containsExactly(new Account("p", Account.NO_KEY, "key-1"));
    CallResult.Failed failed =
        failed(
            transmission -> {
              opened(transmission, 400, "none of that");
              throw new IOException("400");
            });
    assertThat(failed.message()).as("no secret to hide").isEqualTo("HTTP 400: none of that");
  }

  @Test
  @DisplayName("a word that a local server is given for a key garbles no failure")
  void wordForKey() throws InterruptedException {
    secrets = List.of("none");
    CallResult.Failed failed =
        failed(
            transmission -> {
              opened(transmission, 400, "none of that");
              throw new IOException("400");
            });
    assertThat(failed.message()).isEqualTo("HTTP 400: none of that");
  }

  @Test
  @DisplayName("a key that a server quotes is nowhere in the failure")
  void secretInAnswer() throws InterruptedException {
    String body = "{\"error\":{\"message\":\"bad " + SECRET + "\",\"code\":\"no_" + SECRET + "\"}}";
    CallResult.Failed failed =
        failed(
            transmission -> {
              opened(transmission, 401, body);
              throw new IllegalStateException("401: " + body);
            });
    assertThat(failed.message()).isEqualTo("HTTP 401 no_key-1: bad key-1");
    assertThat(failed.code()).isEqualTo("no_key-1");
    assertThat(failed.cause()).isNull();
  }

  @Test
  @DisplayName("a key that an SDK quotes deep in its exception does not come out with it")
  void secretInCause() throws InterruptedException {
    Exception quoting = new IllegalArgumentException("Unexpected char in header: " + SECRET);
    CallResult.Failed failed = failed(throwing(new RuntimeException("no request", quoting)));
    assertThat(failed.message()).endsWith("no request: Unexpected char in header: key-1");
    assertThat(failed.cause()).isNull();
    RuntimeException harmless = new RuntimeException("no request");
    assertThat(failed(throwing(harmless)).cause()).isSameAs(harmless);
  }

  @Test
  @DisplayName("one connection that breaks before the first byte is asked again at once")
  void staleConnection() throws InterruptedException {
    CallResult.Answer answer = Calls.answer("x", new Usage(1, 0, 0, 1));
    assertThat(call(throwing(new SocketException("reset")), _ -> answer)).isSameAs(answer);
    assertThat(wire).extracting(WireCall::failure).containsExactly(FailureKind.NETWORK_ERROR, null);
  }

  @Test
  @DisplayName("the second that breaks is a failure, and no third is made")
  void staleTwice() throws InterruptedException {
    Exchange reset = throwing(new SocketException("reset"));
    assertThat(failed(reset, reset, reset).kind()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(wire).hasSize(2);
  }

  @Test
  @DisplayName(
      "one that breaks after more than a second was worked on: it counts, and is not asked again")
  void brokenLate() throws InterruptedException {
    CallResult.Failed failed =
        failed(
            _ -> {
              nanos.addAndGet(Duration.ofMillis(1_001).toNanos());
              throw new SocketException("reset");
            },
            _ -> Calls.answer("x", new Usage(1, 0, 0, 1)));
    assertThat(failed.kind()).isEqualTo(FailureKind.NETWORK_ERROR);
    assertThat(failed.maybeBilled()).isTrue();
    assertThat(wire).hasSize(1);
  }

  @Test
  @DisplayName("what was refused, hopeless, answered, or too late is not asked again")
  void notStale() throws InterruptedException {
    failed(throwing(new ConnectException("refused")));
    failed(throwing(new javax.net.ssl.SSLPeerUnverifiedException("other")));
    failed(throwing(new java.net.SocketTimeoutException("Read timed out")));
    failed(
        transmission -> {
          opened(transmission, 200, "");
          throw new SocketException("reset");
        });
    failed(
        _ -> {
          nanos.addAndGet(Calls.TIMEOUT.toNanos());
          throw new SocketException("reset");
        });
    assertThat(wire).hasSize(5);
  }

  @Test
  @DisplayName("B18: an answer that is not whole by the deadline is a timeout")
  void timeout() throws InterruptedException {
    CountDownLatch ended = new CountDownLatch(1);
    CountDownLatch never = new CountDownLatch(1);
    CallResult.Failed failed =
        failed(
            transmission -> {
              transmission.usage(new Usage(5, 0, 0, 1));
              nanos.addAndGet(Calls.TIMEOUT.toNanos());
              transmission.newAnswer().text("still writing");
              try {
                never.await();
              } finally {
                ended.countDown();
              }
              throw new AssertionError("nobody lets it go");
            });
    assertThat(failed.kind()).isEqualTo(FailureKind.TIMEOUT);
    assertThat(failed.message()).isEqualTo("no complete answer within 30s");
    assertThat(failed.maybeBilled()).isTrue();
    assertThat(failed.usage()).isEqualTo(new Usage(5, 0, 0, 1));
    assertThat(ended.await(60, TimeUnit.SECONDS)).as("its thread is interrupted").isTrue();
    assertThat(wire).extracting(WireCall::failure).containsExactly(FailureKind.TIMEOUT);
  }

  @Test
  @DisplayName("an error whose body does not end by the deadline is the error that its status says")
  void errorWithoutEnd() throws InterruptedException {
    CountDownLatch never = new CountDownLatch(1);
    CallResult.Failed failed =
        failed(
            transmission -> {
              String body =
                  "{\"error\":{\"code\":\"insufficient_quota\",\"message\":\"" + SECRET + "\"}}";
              opened(transmission, 429, body);
              nanos.addAndGet(Calls.TIMEOUT.toNanos());
              transmission.newAnswer().text("wakes who waits");
              never.await();
              throw new AssertionError("nobody lets it go");
            });
    assertThat(failed.kind()).isEqualTo(FailureKind.QUOTA_EXCEEDED);
    assertThat(failed.httpStatus()).isEqualTo(429);
    assertThat(failed.message()).doesNotContain(SECRET);
  }

  @Test
  @DisplayName("an interrupt before the request sends nothing")
  void interruptedBefore() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(this::call).isInstanceOf(InterruptedException.class);
    assertThat(keys).isEmpty();
    assertThat(wire).isEmpty();
  }

  @Test
  @DisplayName("an interrupt in the middle ends the request, which is told as possibly billed")
  void interruptedWithin() throws InterruptedException {
    Thread caller = Thread.currentThread();
    CountDownLatch ended = new CountDownLatch(1);
    assertThatThrownBy(
            () ->
                call(
                    _ -> {
                      caller.interrupt();
                      try {
                        return new CountDownLatch(1).await(60, TimeUnit.SECONDS)
                            ? Calls.answer("", Usage.NONE)
                            : Calls.answer("late", Usage.NONE);
                      } finally {
                        ended.countDown();
                      }
                    }))
        .isInstanceOf(InterruptedException.class);
    assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
    assertThat(wire)
        .singleElement()
        .matches(WireCall::maybeBilled)
        .matches(call -> call.failure() == FailureKind.NETWORK_ERROR);
  }

  @Test
  @DisplayName("an error of the program comes out as it is, and the request is told")
  void error() {
    assertThatThrownBy(
            () ->
                call(
                    _ -> {
                      throw new StackOverflowError("deep");
                    }))
        .isInstanceOf(StackOverflowError.class);
    assertThat(wire).hasSize(1);
  }

  @Test
  @DisplayName("a listener of wire calls that throws costs nobody the answer")
  void brokenListener() throws InterruptedException {
    listener =
        _ -> {
          throw new UncheckedIOException(new IOException("disk full"));
        };
    assertThat(call(_ -> Calls.answer("x", Usage.NONE))).isInstanceOf(CallResult.Answer.class);
  }

  @Test
  @DisplayName("a model without a price is told without a cost, and closing closes the API once")
  void unpriced() {
    WireProvider provider = provider();
    assertThat(provider.cost("m-2", new Usage(1, 0, 0, 0))).isEmpty();
    assertThat(provider.name()).isEqualTo("p");
    provider.close();
    assertThat(closed).hasValue(1);
  }
}
