package dev.holdfast.tool.mcp;

/**
 * A server over HTTP does not know the session of a call, and so did not look at the call. The SDK
 * takes 400 for it as well as 404.
 */
final class SessionForgotten extends RuntimeException {
  SessionForgotten(int status) {
    super(HttpTransport.FORGOTTEN + " (HTTP " + status + ")");
  }
}
