package dev.holdfast.session;

import dev.holdfast.failure.ShortText;
import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.event.SessionEvents;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.session.report.TextReport;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * Decides what an answer is worth before anything of it is kept (B9, B20-B24, B45, B49): calls that
 * cannot be carried out are dropped, and the model is told why in a notice. Not thread-safe.
 */
final class AnswerReview {
  static final String CONTENT_WARNING =
      "Synthetic retry: assistant returned content without tool calls";
  static final String DROPPED_WARNING = "Invalid tool call dropped due to malformed payload";
  static final String CONTENT = "content_without_tools";
  static final String NO_VALID_CALL = "invalid_tool_call";
  static final String INVALID_REPORT = "invalid_report";
  static final String REASONING = "reasoning_only";
  static final String EMPTY = "empty_response";
  static final String OUTPUT_LIMIT = "output_limit";
  static final String REFUSED = "refused";
  private static final String SOURCE = "agent:turn";
  private static final int NAME_SHOWN = 80;

  /** The part of an answer that remains after the review. */
  sealed interface Reviewed {
    /** It has calls that can be carried out, or a report in order. */
    record Accepted(Message.Assistant message) implements Reviewed {}

    /**
     * Nothing remains; the attempt is an invalid response.
     *
     * @param status why, in one word
     * @param message the same; of a report the words that say what is wrong with it
     */
    record Rejected(String status, String message) implements Reviewed {
      Rejected(String status) {
        this(status, status);
      }
    }
  }

  private final Set<String> tools;
  private final ReportRules rules;
  private final Notices notices;
  private final Position progress;
  private final SessionEvents events;
  private @Nullable String wrongWithReport;

  /**
   * @param tools the names of those that exist
   */
  AnswerReview(Set<String> tools, ReportRules rules, RunState run) {
    this.tools = tools;
    this.rules = rules;
    this.notices = run.notices();
    this.progress = run.progress();
    this.events = run.events();
  }

  Reviewed review(CallResult.Answer answer) {
    wrongWithReport = null;
    Message.Assistant message = answer.message();
    if (message.toolCalls().isEmpty()) {
      return new Reviewed.Rejected(why(answer.stop(), withoutCalls(answer)));
    }
    List<ToolCall> kept = new ArrayList<>();
    List<ToolCall> calls = CallIds.distinct(message.toolCalls(), progress.turn());
    boolean dropped = false;
    Standing.Pending cached = progress.pending();
    for (ToolCall call : calls) {
      boolean mayBeCut = isCut(answer.stop()) && call.equals(calls.getLast());
      boolean outOfRoom = mayBeCut && answer.stop() == StopReason.MAX_TOKENS;
      Optional<JsonNode> arguments = arguments(call, mayBeCut);
      if (arguments.isPresent()) {
        keepIfAllowed(call, arguments.get(), kept);
      } else {
        drop(call, outOfRoom ? NoticeText.CUT_CALL : NoticeText.INVALID_CALL);
        dropped |= !isReport(call);
      }
    }
    // The report describes a call that did not run. In a final turn no other call would run anyway.
    if (dropped && progress.forced() == null) {
      progress.restorePending(cached);
      if (kept.removeIf(AnswerReview::isReport)) {
        NoticeText.REPORT_LEFT.pushTo(notices);
      }
    }
    if (kept.isEmpty()) {
      return withoutValidCalls(why(answer.stop(), NO_VALID_CALL));
    }
    return new Reviewed.Accepted(
        new Message.Assistant(message.text(), message.reasoning(), kept, message.opaque()));
  }

  /**
   * Puts the problem of a refused report into the rejection. People have to learn of it, because
   * the fault may be in the report's schema.
   */
  private Reviewed.Rejected withoutValidCalls(String status) {
    return status.equals(NO_VALID_CALL) && wrongWithReport != null
        ? new Reviewed.Rejected(INVALID_REPORT, wrongWithReport)
        : new Reviewed.Rejected(status);
  }

  /**
   * Returns the reason why the answer stopped, where a notice will hardly help the model; the given
   * status otherwise.
   */
  private static String why(StopReason stop, String status) {
    return switch (stop) {
      case MAX_TOKENS -> OUTPUT_LIMIT;
      case REFUSED -> REFUSED;
      default -> status;
    };
  }

  private static boolean isReport(ToolCall call) {
    return call.name().equals(ReportRules.TOOL);
  }

  private static boolean isCut(StopReason stop) {
    return stop == StopReason.MAX_TOKENS || stop == StopReason.REFUSED;
  }

  /**
   * Reads the arguments. Empty ones of a call that may be cut count as missing: the cut may have
   * come before them.
   */
  private static Optional<JsonNode> arguments(ToolCall call, boolean mayBeCut) {
    return TextReport.object(call.arguments()).filter(object -> !mayBeCut || !object.isEmpty());
  }

  private void drop(ToolCall call, NoticeText why) {
    events.log(SessionEvent.Level.WRN, SOURCE, DROPPED_WARNING);
    why.pushTo(notices, ShortText.of(call.name(), NAME_SHOWN));
    if (isReport(call)) {
      refused("its parameters are not a JSON object", "final_report_attempt");
    }
  }

  private void keepIfAllowed(ToolCall call, JsonNode arguments, List<ToolCall> kept) {
    if (isReport(call)) {
      keepIfInOrder(call, arguments, kept);
    } else if (!tools.contains(call.name()) && adopt(arguments)) {
      NoticeText.MISPLACED_REPORT.pushTo(notices);
    } else if (progress.forced() != null) {
      NoticeText.NOT_OFFERED.pushTo(notices);
    } else {
      kept.add(call);
    }
  }

  /** Keeps a report that is in order. It is checked before anything of it is kept (B9). */
  private void keepIfInOrder(ToolCall call, JsonNode arguments, List<ToolCall> kept) {
    ReportRules.Checked checked = rules.check(arguments);
    if (checked.report().isEmpty()) {
      NoticeText.INVALID_REPORT.pushTo(notices, checked.problem());
      refused(checked.problem(), "incomplete_final_report");
    } else if (kept.stream().noneMatch(AnswerReview::isReport)) {
      progress.reportReceived();
      kept.add(call);
    }
  }

  private void refused(String problem, String reason) {
    wrongWithReport = "its last final report was not accepted: " + problem;
    progress.reportRefused(reason);
  }

  /** Remembers a report that was given to a tool that does not exist; it is no call then (B49). */
  private boolean adopt(JsonNode arguments) {
    Optional<FinalReport> report = rules.check(arguments).report();
    report.ifPresent(found -> progress.keepPending(found, ReportSource.TOOL_MESSAGE));
    return report.isPresent();
  }

  private String withoutCalls(CallResult.Answer answer) {
    Message.Assistant message = answer.message();
    boolean cut = answer.stop() == StopReason.MAX_TOKENS;
    if (!message.text().isBlank()) {
      TextReport.in(message.text(), rules)
          .ifPresent(report -> progress.keepPending(report, ReportSource.TEXT_EXTRACTION));
      events.log(SessionEvent.Level.WRN, SOURCE, CONTENT_WARNING);
      useless(cut, NoticeText.CONTENT_ONLY);
      return CONTENT;
    }
    boolean thought = !message.reasoning().isBlank();
    events.log(
        SessionEvent.Level.WRN,
        SOURCE,
        thought
            ? "Synthetic retry: assistant returned reasoning only"
            : "Synthetic retry: assistant returned an empty response");
    useless(cut, thought ? NoticeText.REASONING_ONLY : NoticeText.EMPTY);
    return thought ? REASONING : EMPTY;
  }

  private void useless(boolean cut, NoticeText notice) {
    if (cut) {
      NoticeText.OUTPUT_LIMIT.pushTo(notices);
    } else {
      notice.pushTo(notices, progress.forced() == null ? NoticeText.GO_ON : NoticeText.REPORT_NOW);
    }
  }
}
