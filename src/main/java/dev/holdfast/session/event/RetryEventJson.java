package dev.holdfast.session.event;

import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** The auto-retry's events as the objects of a stream (D36, D37). */
public final class RetryEventJson {
  private RetryEventJson() {}

  /** Returns the object of an auto-retry event; empty for every other event. */
  public static Optional<ObjectNode> of(SessionEvent event) {
    ObjectNode json = JsonNodeFactory.instance.objectNode();
    return switch (event) {
      case SessionEvent.AutoRetryStart start ->
          Optional.of(
              json.put("type", "auto_retry_start")
                  .put("attempt", start.attempt())
                  .put("maxAttempts", start.maxAttempts())
                  .put("delayMs", start.delayMs())
                  .put("errorMessage", start.errorMessage()));
      case SessionEvent.AutoRetryEnd end -> {
        json.put("type", "auto_retry_end")
            .put("success", end.success())
            .put("attempt", end.attempt());
        yield Optional.of(
            end.finalError() == null ? json : json.put("finalError", end.finalError()));
      }
      case SessionEvent.AutoRetryDeferred put -> {
        json.put("type", "auto_retry_deferred")
            .put("attempt", put.attempt())
            .put("reason", put.why());
        yield Optional.of(put.delay() == null ? json : json.put("delayMs", put.delay().toMillis()));
      }
      default -> Optional.empty();
    };
  }
}
