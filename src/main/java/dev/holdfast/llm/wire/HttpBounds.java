package dev.holdfast.llm.wire;

import java.time.Duration;

/** Sets up both vendors' HTTP clients. Their own timeouts are there in case ours is broken. */
public final class HttpBounds {
  public static final int IDLE_CONNECTIONS = 50;
  public static final Duration KEEP_ALIVE = Duration.ofMinutes(1);

  private static final Duration CONNECT = Duration.ofSeconds(20);
  private static final Duration LATER = Duration.ofSeconds(5);

  private HttpBounds() {}

  /** The SDK's bound for a call that is cut off after {@code timeout} here. */
  public static Duration whole(Duration timeout) {
    return timeout.plus(LATER);
  }

  /** The SDK's bound for the connection of such a call. */
  public static Duration connect(Duration timeout) {
    return whole(timeout).compareTo(CONNECT) < 0 ? whole(timeout) : CONNECT;
  }
}
