package dev.holdfast.tool.mcp;

import java.time.Duration;

/**
 * Bounds of MCP servers.
 *
 * @param startTimeout from the start to the answered handshake; default 30 s
 * @param callTimeout of one tool call; a server that lets it pass is stopped; default 2 min
 * @param killGrace between asking a server's processes to end and killing them; default 2 s
 * @param maxRestarts how often a server is started again in one session; default 3
 * @param maxMessage the longest message of a server, in characters; default 8 Mi
 * @param maxTools how many tools of all servers are offered; default 120, for OpenAI takes 128 in a
 *     request, and the workspace's and the report are among them
 */
public record McpSettings(
    Duration startTimeout,
    Duration callTimeout,
    Duration killGrace,
    int maxRestarts,
    int maxMessage,
    int maxTools) {
  private static final Duration SHORTEST = Duration.ofMillis(1);

  public static McpSettings defaults() {
    return new McpSettings(
        Duration.ofSeconds(30), Duration.ofMinutes(2), Duration.ofSeconds(2), 3, 8 << 20, 120);
  }

  /**
   * Returns the settings for an attempt with {@code timeLeft} left: the start takes no longer, even
   * if the time is over.
   */
  public McpSettings within(Duration timeLeft) {
    Duration left = timeLeft.compareTo(SHORTEST) < 0 ? SHORTEST : timeLeft;
    Duration start = left.compareTo(startTimeout) < 0 ? left : startTimeout;
    return new McpSettings(start, callTimeout, killGrace, maxRestarts, maxMessage, maxTools);
  }
}
