package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.Price;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import dev.holdfast.retry.Sleeper;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Stands for a provider's server: answers by a script, the last line of it for ever. */
final class ScriptedProvider implements ChatProvider {
  /** One line of the script. */
  @FunctionalInterface
  interface Line {
    CallResult answer(ChatRequest request) throws InterruptedException;
  }

  private final String name;
  private final Deque<Line> script = new ArrayDeque<>();
  final List<ChatRequest> requests = new ArrayList<>();
  Duration waitInSession = Duration.ofMinutes(1);

  /** Passes behind each look at whether it is open, as on a machine that has much else to do. */
  Duration behindLook = Duration.ZERO;

  private @Nullable AtomicLong guardedBy;
  private @Nullable Price price;
  private long openAtNanos;
  private boolean dead;

  ScriptedProvider(String name) {
    this.name = name;
  }

  /** Closes after a rate limit and a refused key, as the guard does for the whole cluster. */
  ScriptedProvider guarded(AtomicLong nanos) {
    guardedBy = nanos;
    return this;
  }

  ScriptedProvider then(CallResult result) {
    return then(request -> result);
  }

  ScriptedProvider then(Line line) {
    script.add(line);
    return this;
  }

  /** Hangs until it is interrupted. */
  ScriptedProvider thenHang(Runnable whenReached) {
    return then(
        request -> {
          whenReached.run();
          Sleeper.REAL.sleep(Duration.ofMinutes(5));
          throw new AssertionError("nobody interrupted the call");
        });
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
    Line line;
    synchronized (this) {
      requests.add(request);
      line = script.size() > 1 ? script.removeFirst() : script.getFirst();
    }
    CallResult result = line.answer(request);
    close(result);
    return result;
  }

  synchronized int calls() {
    return requests.size();
  }

  /** Before the next call is sent, as the guard would have it. */
  @Override
  public synchronized Optional<Standstill> standstill(String model) {
    AtomicLong clock = guardedBy;
    Duration left =
        clock == null || dead
            ? null
            : Duration.ofNanos(openAtNanos - clock.getAndAdd(behindLook.toNanos()));
    if (!dead && (left == null || !left.isPositive())) {
      return Optional.empty();
    }
    return Optional.of(
        new Standstill(
            dead ? Standstill.Kind.ACCOUNT : Standstill.Kind.COOLING,
            left,
            left != null && left.compareTo(waitInSession) <= 0,
            List.of(name + "//"),
            name + ": closed",
            null));
  }

  private void close(CallResult result) {
    AtomicLong clock = guardedBy;
    if (clock == null || !(result instanceof CallResult.Failed failed)) {
      return;
    }
    switch (failed.kind()) {
      case AUTH_ERROR, QUOTA_EXCEEDED -> dead = true;
      case RATE_LIMIT -> {
        Duration hint = failed.retryAfter();
        openAtNanos = clock.get() + (hint == null ? Duration.ofSeconds(5) : hint).toNanos();
      }
      default -> {
        // Of the request.
      }
    }
  }

  /** In USD per million tokens that it writes; what it reads costs nothing. */
  ScriptedProvider priced(String usd) {
    price = Price.of(BigDecimal.ZERO, new BigDecimal(usd));
    return this;
  }

  /** Where it has no price, every answer costs a cent. */
  @Override
  public Optional<BigDecimal> cost(String model, Usage usage) {
    return Optional.of(price == null ? new BigDecimal("0.01") : price.cost(usage));
  }

  @Override
  public void close() {}
}
