package dev.holdfast.cli;

import dev.holdfast.queue.TimelineEntry;
import dev.holdfast.session.RetryTexts;
import dev.holdfast.session.SessionEvent;
import java.time.Duration;
import java.util.Optional;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** How a terminal words the retries of agents' sessions (D31, D38). */
final class SessionWords {
  private SessionWords() {}

  /** Empty for every other event, and for one that lacks what it should say. */
  static Optional<String> of(TimelineEntry event) {
    if (!event.event().startsWith("auto_retry_") || event.details() == null) {
      return Optional.empty();
    }
    try {
      JsonNode json = new JsonMapper().readTree(event.details());
      return switch (event.event()) {
        case "auto_retry_start" -> Optional.of(waiting(event.ticketId(), json));
        case "auto_retry_end" -> Optional.of(ended(json));
        case "auto_retry_deferred" -> Optional.of(deferred(json));
        default -> Optional.empty();
      };
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  private static String waiting(long ticketId, JsonNode json) {
    SessionEvent.AutoRetryStart start =
        new SessionEvent.AutoRetryStart(
            json.path("attempt").asInt(),
            json.path("maxAttempts").asInt(),
            json.path("delayMs").asLong(),
            json.path("errorMessage").asString(""));
    return RetryTexts.waiting(start, "holdfast abort-retry " + ticketId + " to cancel")
        + ": "
        + start.errorMessage();
  }

  private static String deferred(JsonNode json) {
    JsonNode delay = json.path("delayMs");
    return RetryTexts.deferred(
        new SessionEvent.AutoRetryDeferred(
            json.path("attempt").asInt(),
            delay.isNumber() ? Duration.ofMillis(delay.asLong()) : null,
            json.path("reason").asString("")));
  }

  private static String ended(JsonNode json) {
    SessionEvent.AutoRetryEnd end =
        new SessionEvent.AutoRetryEnd(
            json.path("success").asBoolean(),
            json.path("attempt").asInt(),
            json.path("finalError").asString(""));
    return end.success()
        ? "Retry succeeded after " + end.attempt() + " attempts"
        : RetryTexts.failed(end);
  }
}
