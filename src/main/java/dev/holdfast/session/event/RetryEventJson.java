package dev.holdfast.session.event;

import tools.jackson.databind.node.ObjectNode;

/** The auto-retry's events as the objects of a stream (D36, D37). */
final class RetryEventJson {
  private RetryEventJson() {}

  static ObjectNode of(SessionEvent.AutoRetryStart start) {
    return SessionEventJson.object("auto_retry_start")
        .put("attempt", start.attempt())
        .put("maxAttempts", start.maxAttempts())
        .put("delayMs", start.delayMs())
        .put("errorMessage", start.errorMessage());
  }

  static ObjectNode of(SessionEvent.AutoRetryEnd end) {
    ObjectNode json =
        SessionEventJson.object("auto_retry_end")
            .put("success", end.success())
            .put("attempt", end.attempt());
    return end.finalError() == null ? json : json.put("finalError", end.finalError());
  }

  static ObjectNode of(SessionEvent.AutoRetryDeferred put) {
    ObjectNode json =
        SessionEventJson.object("auto_retry_deferred")
            .put("attempt", put.attempt())
            .put("reason", put.why());
    return put.delay() == null ? json : json.put("delayMs", put.delay().toMillis());
  }
}
