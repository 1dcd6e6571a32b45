package dev.holdfast.session.report;

import org.jspecify.annotations.Nullable;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Why there is a synthetic report (B53, B55).
 *
 * @param reason such as max_turns, context or llm_error
 * @param lastStopReason of the last answer, "none" where there was none
 * @param lastError of the last failed attempt; null where it did not fail
 */
public record ReportMetadata(
    String reason,
    int turnsCompleted,
    int finalReportAttempts,
    String lastStopReason,
    @Nullable String lastError) {
  /** Returns an object with the names of the requirement. */
  public ObjectNode toJson() {
    ObjectNode json =
        JsonNodeFactory.instance
            .objectNode()
            .put("reason", reason)
            .put("turns_completed", turnsCompleted)
            .put("final_report_attempts", finalReportAttempts)
            .put("last_stop_reason", lastStopReason);
    return lastError == null ? json : json.put("last_error", lastError);
  }
}
