package dev.holdfast.session;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Standstill;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.report.ReportRules;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** What a provider may answer. */
public final class Replies {
  static final Usage USAGE = new Usage(100, 0, 0, 10);
  static final String REPORT = "{\"status\":\"success\",\"content\":\"all done\"}";

  private Replies() {}

  static CallResult answer(Message.Assistant message, StopReason stop) {
    return new CallResult.Answer(message, stop, USAGE);
  }

  static CallResult text(String text) {
    return answer(new Message.Assistant(text, List.of()), StopReason.END);
  }

  static CallResult calls(ToolCall... calls) {
    return answer(new Message.Assistant("", List.of(calls)), StopReason.TOOL_CALLS);
  }

  static ToolCall call(String id, String name, String arguments) {
    return new ToolCall(id, name, arguments);
  }

  static CallResult look(String id) {
    return calls(call(id, "look", "{}"));
  }

  static CallResult report() {
    return report(REPORT);
  }

  static CallResult report(String arguments) {
    return calls(call("r", ReportRules.TOOL, arguments));
  }

  /** A valid report, given to a tool that does not exist. */
  static CallResult misplacedReport() {
    return calls(call("a", "final_report", REPORT));
  }

  static CallResult empty() {
    return text("");
  }

  public static CallResult.Failed failed(FailureKind kind, boolean retryable, String message) {
    return new CallResult.Failed(kind, retryable, message, null, null, null, true, null);
  }

  public static CallResult.Failed status(FailureKind kind, int status, String message) {
    return new CallResult.Failed(
        kind, status >= 500 || status == 429, message, status, null, null, true, null);
  }

  static CallResult.Failed overloaded() {
    return status(FailureKind.MODEL_ERROR, 503, "Service Unavailable");
  }

  /** An error of the server that closes nothing, for one ticket's may be its request's. */
  static CallResult.Failed broken() {
    return status(FailureKind.MODEL_ERROR, 500, "Internal Server Error");
  }

  static CallResult.Failed network() {
    return failed(FailureKind.NETWORK_ERROR, true, "Connection reset");
  }

  /** Nothing was sent: the cluster knows that the model is closed for so long. */
  static CallResult closed(Duration left) {
    return new CallResult.Refused(
        new Standstill(
            Standstill.Kind.COOLING, left, false, List.of("one/k/m-one"), "one: rate_limit", null));
  }

  static CallResult.Failed rateLimit(@Nullable Duration retryAfter) {
    return new CallResult.Failed(
        FailureKind.RATE_LIMIT, true, "slow down", 429, null, retryAfter, true, null);
  }
}
