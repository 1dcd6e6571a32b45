package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCRequest;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCResponse;
import java.util.Collections;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The responses of a server over HTTP that have not ended, and the requests that wait for an answer
 * in one of them. Once no response is open any more, no answer can come, but the SDK would wait on.
 * Thread-safe.
 */
final class OpenStreams {
  /**
   * The time in which the last response's message, and a request that it led to, may still arrive.
   */
  private static final long ON_ITS_WAY_MILLIS = 1_000;

  private final AtomicInteger open = new AtomicInteger();
  private final Set<Object> waiting = ConcurrentHashMap.newKeySet();
  private final Runnable unanswered;

  /**
   * @param unanswered is run where a request waits and no response is open
   */
  OpenStreams(Runnable unanswered) {
    this.unanswered = unanswered;
  }

  /** Notes that a message is sent. */
  void sent(JSONRPCMessage message) {
    if (message instanceof JSONRPCRequest request) {
      waiting.add(request.id());
    }
  }

  /** Notes that a message could not be sent; its sender knows. */
  void failed(JSONRPCMessage message) {
    if (message instanceof JSONRPCRequest request) {
      waiting.remove(request.id());
    }
  }

  /** Notes that a message came. */
  void heard(JSONRPCMessage message) {
    if (message instanceof JSONRPCResponse response && response.id() != null) {
      waiting.remove(response.id());
    }
  }

  /**
   * Notes that a response is awaited.
   *
   * @return to be run when it has ended; again it does nothing
   */
  Runnable opened() {
    open.incrementAndGet();
    AtomicBoolean ended = new AtomicBoolean();
    return () -> {
      if (ended.compareAndSet(false, true) && open.decrementAndGet() == 0) {
        lookAgain();
      }
    };
  }

  private void lookAgain() {
    Set<Object> left = Set.copyOf(waiting);
    if (!left.isEmpty()) {
      CompletableFuture.delayedExecutor(ON_ITS_WAY_MILLIS, TimeUnit.MILLISECONDS)
          .execute(
              () -> {
                if (open.get() == 0 && !Collections.disjoint(left, waiting)) {
                  unanswered.run();
                }
              });
    }
  }
}
