package dev.holdfast.tool.mcp;

/**
 * A server over HTTP does not know the session of a call, and so did not look at the call. The SDK
 * takes both 400 and 404 for that.
 */
final class SessionForgotten extends RuntimeException {
  /**
   * @param reason what the server said with it; "" for nothing
   */
  SessionForgotten(int status, String reason) {
    super("HTTP " + status + (reason.isEmpty() ? "" : ": " + reason));
  }
}
