package dev.holdfast.queue.read;

import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Says in one sentence what happened to a ticket. The demo, {@code watch}, {@code show} and the
 * console all use it. A sentence may contain what anybody wrote; the caller that prints it makes it
 * safe.
 */
public final class EventLine {
  private static final int LONGEST = 400;
  private static final JsonMapper MAPPER = JsonMapper.builder().build();

  private EventLine() {}

  /** Returns the sentence; never empty. */
  public static String of(TimelineEntry entry) {
    JsonNode details = details(entry);
    return switch (entry.event()) {
      case "created" -> "ready in queue " + text(details, "queue");
      case "claimed" -> "in_progress" + by(entry);
      case "succeeded" -> attempt(details) + " succeeded";
      case "failed" -> attempt(details) + " failed: " + failure(details, "category");
      case "crashed" -> attempt(details) + " lost its worker" + by(entry).replace(" by ", ": ");
      case "given_back" -> attempt(details) + " was given back" + by(entry) + ", no retry used";
      case "revoked" -> attempt(details) + " was ended by a person";
      case "parked" -> attempt(details) + " waits for a person's word, no retry used";
      case "advanced" -> attempt(details) + " let its next steps begin, and waits for them";
      case "replayed" ->
          "replayed" + by(entry) + " from the step " + text(details, "from") + replayed(details);
      case "deferred" -> deferred(details);
      case "retry_decision" -> decision(details);
      case "held" -> "on_hold" + by(entry) + because(details, "reason");
      case "released" -> "released" + by(entry) + quoted(details, "guidance");
      case "answered" ->
          "answered"
              + by(entry)
              + quoted(details, "question")
              + " "
              + value(details.path("answer"));
      case "rejected" -> "sent back" + by(entry) + quoted(details, "feedback");
      case "design_changed" ->
          "design changed%s: version %s of %s instead of %s"
              .formatted(
                  by(entry),
                  text(details, "version"),
                  text(details, "design"),
                  text(details, "before"));
      case "approved" -> "approved" + by(entry) + ": done";
      case "stdout", "stderr" -> entry.event() + ": " + text(details, "text");
      case "cancelled" -> "cancelled" + by(entry) + because(details, "reason");
      default -> other(entry, details);
    };
  }

  private static String replayed(JsonNode details) {
    return details.has("as")
        ? ", as #" + details.get("as")
        : details.has("of") ? " of #" + details.get("of") : "";
  }

  /** Returns true if the decision on this failed attempt says all of it: the two are one event. */
  public static boolean isToldByDecision(TimelineEntry entry) {
    return entry.event().equals("failed");
  }

  private static JsonNode details(TimelineEntry entry) {
    if (entry.details() == null) {
      return MAPPER.createObjectNode();
    }
    try {
      JsonNode details = MAPPER.readTree(entry.details());
      return details.isObject() ? details : MAPPER.createObjectNode();
    } catch (JacksonException e) {
      return MAPPER.createObjectNode();
    }
  }

  private static String text(JsonNode details, String field) {
    return cut(details.path(field).asString("").strip());
  }

  private static String cut(String text) {
    return text.length() <= LONGEST ? text : text.substring(0, LONGEST - 1) + "…";
  }

  private static String by(TimelineEntry entry) {
    return entry.actor() == null || entry.actor().equals("system") ? "" : " by " + entry.actor();
  }

  private static String attempt(JsonNode details) {
    return "attempt " + (details.has("attempt") ? text(details, "attempt") : "?");
  }

  private static String because(JsonNode details, String field) {
    String reason = text(details, field);
    return reason.isEmpty() ? "" : ": " + reason;
  }

  private static String quoted(JsonNode details, String field) {
    String words = text(details, field);
    return words.isEmpty() ? "" : ": \"" + words + "\"";
  }

  private static String value(JsonNode answer) {
    return cut(answer.isString() ? answer.stringValue().strip() : answer.toString());
  }

  private static String deferred(JsonNode details) {
    String until = text(details, "retryAfter");
    return "deferred: waits for "
        + (details.has("error") ? text(details, "error") : "a provider")
        + (until.isEmpty() ? "" : " until " + until);
  }

  /** Says when the next attempt comes, and how many may follow (A30). */
  private static String decision(JsonNode details) {
    String failure = "failed: " + failure(details, "errorCategory");
    if (!details.path("shouldRetry").asBoolean(false)) {
      return failure + "; on_hold" + because(details, "holdReason");
    }
    String at = text(details, "retryAfter");
    return String.format(
        Locale.ROOT,
        "%s; retry %d of %d in %.1f s%s, attempts remaining: %d",
        failure,
        details.path("currentAttempt").asInt(0),
        details.path("maxRetries").asInt(0),
        details.path("nextDelayMs").asLong(0) / 1000.0,
        at.isEmpty() ? "" : " (" + at + ")",
        details.path("attemptsRemaining").asInt(0));
  }

  private static String failure(JsonNode details, String category) {
    String title = details.has("title") ? text(details, "title") : firstLine(details);
    String rule = text(details, "rule");
    return text(details, category)
        + (rule.isEmpty() ? "" : " (" + rule + ")")
        + (title.isEmpty() ? "" : ": " + title);
  }

  /** Returns the first line. Events of older workers have no title. */
  private static String firstLine(JsonNode details) {
    return details.path("error").asString("").lines().findFirst().map(EventLine::cut).orElse("");
  }

  private static String other(TimelineEntry entry, JsonNode details) {
    StringJoiner words = new StringJoiner(" · ");
    for (Map.Entry<String, JsonNode> field : details.properties()) {
      JsonNode value = field.getValue();
      String text = value.isValueNode() ? value.asString("") : value.toString();
      if (!text.isBlank() && !text.equals(entry.event())) {
        words.add(name(field.getKey()) + ": " + cut(text.strip()));
      }
    }
    String event = entry.event().replace('_', ' ') + by(entry);
    return words.length() == 0 ? event : event + ": " + words;
  }

  /** Makes a name such as {@code lease no} of {@code leaseNo}. */
  private static String name(String key) {
    return key.replaceAll("(?<=[a-z])(?=[A-Z])", " ").replace('_', ' ').toLowerCase(Locale.ROOT);
  }
}
