package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.client.McpSyncClient;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A connected server, until it ends. Thread-safe. */
final class McpConnection implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(McpConnection.class);

  /** The time in which an answer that was written just before the end may still arrive. */
  private static final long LAST_ANSWER_MILLIS = 200;

  private final McpSyncClient client;
  private final CompletableFuture<ConnectionEnd> ended;
  private final Supplier<String> said;
  private final Runnable stop;

  /**
   * The open questions. Answered ones are removed, because their answers would otherwise stay as
   * long as the server.
   */
  private final Set<CompletableFuture<?>> asked = ConcurrentHashMap.newKeySet();

  /**
   * @param ended completed with the reason when the server has ended
   * @param said what it wrote to stderr
   * @param stop ends it at once
   */
  McpConnection(
      McpSyncClient client,
      CompletableFuture<ConnectionEnd> ended,
      Supplier<String> said,
      Runnable stop) {
    this.client = client;
    this.ended = ended;
    this.said = said;
    this.stop = stop;
    endWith(asked);
  }

  boolean isEnded() {
    return ended.isDone();
  }

  /** True where the server is well, but has forgotten the session. */
  boolean isForgotten() {
    return ended.isDone() && ended.join().forgotten();
  }

  /**
   * Asks the server something.
   *
   * @throws SessionForgotten if it has forgotten the session, and so did not look at the question
   * @throws ServerEnded if it ends before it answers
   * @throws TimeoutException if it does not answer in time
   * @throws RuntimeException of the SDK, for an answer that is an error
   */
  <T> T ask(Function<McpSyncClient, T> question, Duration timeout)
      throws TimeoutException, InterruptedException {
    CompletableFuture<T> answer = new CompletableFuture<>();
    asked.add(answer);
    Thread.ofVirtual().name("holdfast-mcp-call").start(() -> answer(question, answer));
    if (ended.isDone()) { // and perhaps those that were asked before have been told already
      endWith(Set.of(answer));
    }
    try {
      return answer.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw unwrapped(e);
    } catch (TimeoutException e) {
      throw new TimeoutException(
          "no answer within " + (timeout.toMillis() + 999) / 1000 + " s" + stderr());
    } finally {
      asked.remove(answer);
    }
  }

  /** Fails the questions when the server has ended. */
  private void endWith(Set<CompletableFuture<?>> questions) {
    var unused =
        ended.thenAcceptAsync(
            end ->
                questions.forEach(
                    each -> each.completeExceptionally(new ServerEnded(end.reason() + stderr()))),
            CompletableFuture.delayedExecutor(LAST_ANSWER_MILLIS, TimeUnit.MILLISECONDS));
  }

  private <T> void answer(Function<McpSyncClient, T> question, CompletableFuture<T> answer) {
    try {
      answer.complete(question.apply(client));
    } catch (RuntimeException e) {
      answer.completeExceptionally(e);
    }
  }

  private static RuntimeException unwrapped(ExecutionException e) {
    return switch (e.getCause()) {
      case RuntimeException runtime -> runtime;
      case Error error -> throw error;
      case null, default -> new IllegalStateException(e);
    };
  }

  /** Returns what the server said, to follow a reason; "" where it said nothing. */
  String stderr() {
    String text = said.get();
    return text.isEmpty() ? "" : "; it said: " + text;
  }

  @Override
  public void close() {
    stop.run();
    try {
      client.close();
    } catch (RuntimeException e) {
      log.debug("An MCP client did not close well: {}", e.toString());
    }
  }
}
