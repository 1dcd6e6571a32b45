package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
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
  final List<@Nullable Duration> usedUp = new ArrayList<>();
  boolean hasAnotherAccount;

  ScriptedProvider(String name) {
    this.name = name;
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
    return line.answer(request);
  }

  synchronized int calls() {
    return requests.size();
  }

  @Override
  public boolean markUsageLimitReached(@Nullable Duration resetsIn) {
    usedUp.add(resetsIn);
    return hasAnotherAccount;
  }

  /** Every answer costs a cent. */
  @Override
  public Optional<BigDecimal> cost(String model, Usage usage) {
    return Optional.of(new BigDecimal("0.01"));
  }

  @Override
  public void close() {}
}
