package dev.holdfast.cli.inspect;

import dev.holdfast.queue.read.EventLine;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.session.event.RetryTexts;
import dev.holdfast.session.event.SessionEvent;
import java.time.Duration;
import java.util.Optional;
import java.util.stream.Collectors;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Describes on a terminal what agents' sessions and their tools retry (C32, C33, D31, D38). */
final class SessionWords {
  private SessionWords() {}

  /**
   * Returns the words; empty for every other event, and for one that lacks what it should contain.
   */
  static Optional<String> of(TimelineEntry event) {
    if (event.details() == null) {
      return Optional.empty();
    }
    return switch (event.event()) {
      case "auto_retry_start" -> json(event).map(json -> waiting(event.ticketId(), json));
      case "auto_retry_end" -> json(event).map(SessionWords::ended);
      case "auto_retry_deferred" -> json(event).map(SessionWords::deferred);
      case "deferred" -> Optional.of(putOff(event));
      case "tool_retry" -> json(event).filter(json -> json.has("message")).map(SessionWords::tool);
      case "tools_cancelled" -> json(event).map(SessionWords::cancelled);
      default -> Optional.empty();
    };
  }

  private static Optional<JsonNode> json(TimelineEntry event) {
    try {
      return Optional.of(new JsonMapper().readTree(event.details()));
    } catch (JacksonException e) {
      return Optional.empty();
    }
  }

  private static String putOff(TimelineEntry event) {
    return EventLine.of(event) + " (holdfast abort-retry " + event.ticketId() + " to try now)";
  }

  private static String tool(JsonNode json) {
    JsonNode fix = json.path("suggestedFix");
    return json.path("message").asString("")
        + " "
        + json.path("severity").asString("error")
        + ": "
        + json.path("error").asString("")
        + (fix.isMissingNode() ? "" : " (" + fix.asString("") + ")");
  }

  private static String cancelled(JsonNode json) {
    return "Cancelled: "
        + json.path("calls")
            .valueStream()
            .map(call -> call.path("name").asString("?"))
            .collect(Collectors.joining(", "));
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
