package dev.holdfast.session.event;

import dev.holdfast.failure.ShortText;
import dev.holdfast.llm.Usage;
import java.util.Optional;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Events as the objects of a ticket's live stream: {@code type} says what each is. The stream is
 * for people who watch, so texts are cut to {@value #LONGEST} characters, and pieces of answers,
 * lines below a warning and what only counters need are left out.
 */
public final class SessionEventJson {
  private static final int LONGEST = 500;

  private SessionEventJson() {}

  /** Returns the object of an event; empty for what the stream leaves out. */
  public static Optional<ObjectNode> of(SessionEvent event) {
    return switch (event) {
      case SessionEvent.AutoRetryStart retry -> Optional.of(RetryEventJson.of(retry));
      case SessionEvent.AutoRetryEnd retry -> Optional.of(RetryEventJson.of(retry));
      case SessionEvent.AutoRetryDeferred retry -> Optional.of(RetryEventJson.of(retry));
      case SessionEvent.TurnStarted turn ->
          Optional.of(
              object("turn_started").put("turn", turn.turn()).put("maxTurns", turn.maxTurns()));
      case SessionEvent.TurnFinished turn ->
          Optional.of(
              object("turn_finished")
                  .put("turn", turn.turn())
                  .put("attempts", turn.attempts())
                  .put("status", turn.status())
                  .put("inRetryLoopMs", turn.inRetryLoop().toMillis()));
      case SessionEvent.AttemptFinished attempt -> Optional.of(attempt(attempt));
      case SessionEvent.ToolsStarted tools -> Optional.of(ToolEventJson.of(tools));
      case SessionEvent.ToolRetry tool -> Optional.of(ToolEventJson.of(tool));
      case SessionEvent.ToolFinished tool -> Optional.of(ToolEventJson.of(tool));
      case SessionEvent.ToolsCancelled tools -> Optional.of(ToolEventJson.of(tools));
      case SessionEvent.ReportAccepted report -> Optional.of(report(report));
      case SessionEvent.Logged line ->
          Optional.of(
              object("log")
                  .put("level", line.level().name())
                  .put("source", line.source())
                  .put("message", cut(line.message())));
      case SessionEvent.Collapsed collapsed ->
          Optional.of(
              object("turns_collapsed")
                  .put("reason", collapsed.reason())
                  .put("turn", collapsed.turn())
                  .put("previousMaxTurns", collapsed.previousMaxTurns())
                  .put("maxTurns", collapsed.newMaxTurns()));
      case SessionEvent.ContextCompacted compacted ->
          Optional.of(
              object("context_compacted")
                  .put("tokensBefore", compacted.tokensBefore())
                  .put("tokensAfter", compacted.tokensAfter())
                  .put("summarised", compacted.summarised()));
      case SessionEvent.ToolStarted tool -> Optional.empty();
      case SessionEvent.Text piece -> Optional.empty();
      case SessionEvent.Reasoning piece -> Optional.empty();
      case SessionEvent.RetryAmplified layer -> Optional.empty();
      case SessionEvent.WaitStarted wait -> Optional.empty();
      case SessionEvent.WaitEnded wait -> Optional.empty();
      case SessionEvent.Finished finished -> Optional.empty();
      case SessionEvent.Traced traced ->
          Optional.of(object(traced.type()).setAll(traced.payload()));
    };
  }

  static ObjectNode object(String type) {
    return JsonNodeFactory.instance.objectNode().put("type", type);
  }

  private static ObjectNode attempt(SessionEvent.AttemptFinished attempt) {
    Usage usage = attempt.usage();
    ObjectNode json =
        object("attempt_finished")
            .put("turn", attempt.turn())
            .put("attempt", attempt.attempt())
            .put("target", attempt.target().toString())
            .put("status", attempt.status())
            .put("tokensIn", usage.input() + usage.cacheRead() + usage.cacheWrite())
            .put("tokensOut", usage.output())
            .put("latencyMs", attempt.latency().toMillis());
    if (attempt.costUsd() != null) {
      json.put("costUsd", attempt.costUsd());
    }
    if (attempt.error() != null) {
      json.put("error", cut(attempt.error()));
    }
    return attempt.backoff().isZero() ? json : json.put("backoffMs", attempt.backoff().toMillis());
  }

  private static ObjectNode report(SessionEvent.ReportAccepted report) {
    return object("report_accepted")
        .put("turn", report.turn())
        .put("status", report.report().status().wireName())
        .put("source", report.source().wireName())
        .put("forcedFinalReason", report.forcedFinalReason());
  }

  static String cut(String text) {
    return ShortText.of(text, LONGEST);
  }
}
