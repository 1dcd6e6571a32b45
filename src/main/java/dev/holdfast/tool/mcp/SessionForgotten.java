package dev.holdfast.tool.mcp;

/** A server over HTTP does not know the session of a call, and so did not look at the call. */
final class SessionForgotten extends RuntimeException {
  SessionForgotten(Throwable cause) {
    super(HttpTransport.FORGOTTEN, cause);
  }
}
