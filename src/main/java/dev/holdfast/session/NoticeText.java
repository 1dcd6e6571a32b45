package dev.holdfast.session;

import dev.holdfast.llm.Message;

/** The words of the notices (B20-B23, B42, B43), each with its reason for {@link Notices#push}. */
enum NoticeText {
  CONTENT_ONLY("content-without-tools", "plain text responses are ignored. %s"),
  OUTPUT_LIMIT(
      "output-limit",
      "your last response was cut off at the output limit and is ignored. Write less at once: split"
          + " large contents over several tool calls."),
  CUT_CALL(
      "output-limit",
      "your last response was cut off at the output limit, and its last tool call was not run: %s."
          + " Write less at once: split large contents over several tool calls."),
  EMPTY("empty-response", "your last response was empty. %s"),
  REASONING_ONLY("reasoning-only", "you have thought but not acted. %s"),
  INVALID_CALL(
      "invalid-tool-call",
      "a tool call was dropped because its parameters are not a JSON object: %s. Send the"
          + " parameters of every call as one valid JSON object, with quotes and newlines"
          + " escaped."),
  INVALID_REPORT(
      "invalid-final-report",
      "your call of agent__final_report was not accepted: %s. Call it again with valid"
          + " parameters."),
  REPORT_LEFT(
      "final-report-left",
      "your final report was not taken, because another call of the same answer was dropped. Make"
          + " that call first, and look at its result."),
  MISPLACED_REPORT(
      "final-report-reminder",
      "a final report counts only as a call of the tool agent__final_report."),
  NOT_OFFERED("final-turn", "only agent__final_report can be called now; other calls are ignored."),
  LOOP(
      LoopGuard.REASON,
      "your last steps were the same again and again, and will bring the same again. Do something"
          + " else: look at what the results say, or call agent__final_report with status failure"
          + " and say what is in the way."),
  MAX_TURNS(
      "max-turns",
      "Maximum number of turns/steps reached. You must now call agent__final_report with what you"
          + " have; no other tool is available."),
  CONTEXT(
      "context",
      "The conversation is at the context window limit. You must now call agent__final_report with"
          + " what you have; no other tool is available.");

  /**
   * The end of a notice that says what the model can do instead; a final turn has {@link
   * #REPORT_NOW}.
   */
  static final String GO_ON = "Call a tool, or call agent__final_report if the task is done.";

  static final String REPORT_NOW = "Call agent__final_report now.";

  private final String reason;
  private final String text;

  NoticeText(String reason, String text) {
    this.reason = reason;
    this.text = text;
  }

  /** Whether a notice says that only the report can be called now. */
  static boolean isOfFinalTurn(Message.User notice) {
    return MAX_TURNS.reason.equals(notice.retryMessage())
        || NOT_OFFERED.reason.equals(notice.retryMessage())
        || notice.content().endsWith(REPORT_NOW);
  }

  void pushTo(Notices notices) {
    notices.push(reason, text);
  }

  void pushTo(Notices notices, String detail) {
    notices.push(reason, text.replace("%s", detail));
  }
}
