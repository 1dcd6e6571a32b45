package dev.holdfast.handler.agent;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.ShortText;
import dev.holdfast.handler.StandstillResult;
import dev.holdfast.handler.StorableJson;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.schema.Question;
import dev.holdfast.session.approval.PendingCall;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.report.UsedUp;
import dev.holdfast.ticket.Review;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.worker.HandlerResult;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.JsonNodeFactory;
import tools.jackson.databind.node.ObjectNode;

/** Turns the end of a session into the ticket's result (composition 9). */
final class AgentResult {
  private static final int SHOWN_ARGUMENTS = 300;
  private static final int LOGGED = 2000;
  private static final String APPROVAL = "approval";
  private static final String OF_TICKET = "ticket:";
  private static final List<String> APPROVAL_ACTIONS =
      List.of("approve_call", "approve_call_with_changes", "deny_call", "cancel");

  private AgentResult() {}

  /**
   * @throws InterruptedException where the session has not ended: the ticket is to be given back
   */
  static HandlerResult of(SessionResult result, Review review) throws InterruptedException {
    return switch (result) {
      case SessionResult.Reported reported -> reported(reported.report(), review);
      case SessionResult.Failed failed -> failed(failed);
      case SessionResult.AwaitsApproval waits -> parked(waits);
      case SessionResult.UnknownEffect unknown -> unknown(unknown);
      case SessionResult.StoodStill still ->
          StandstillResult.of(
              still.why(), still.error(), still.last() == null ? null : still.last().httpStatus());
      case SessionResult.Stopped stopped -> throw new InterruptedException("the session stopped");
      case SessionResult.Cancelled cancelled ->
          throw new InterruptedException("the session was cancelled");
    };
  }

  /**
   * Makes the result of a failed session. Used-up money holds the ticket for a person, because a
   * retry without more money would only end in the same way.
   */
  private static HandlerResult failed(SessionResult.Failed failed) {
    UsedUp bound = failed.usedUp();
    return bound == null
        ? HandlerResult.failed(failed.errorReport())
        : HandlerResult.held(
            StandstillResult.BUDGET_EXCEEDED + budget(bound), failed.errorReport());
  }

  private static String budget(UsedUp bound) {
    return bound.scope() + ": " + bound.words() + "; " + wayOn(bound);
  }

  /**
   * Says how the work can go on. What a ticket has used counts in its next attempt, too, so a
   * release alone would end in the same way.
   */
  private static String wayOn(UsedUp bound) {
    if (!bound.scope().startsWith(OF_TICKET)) {
      return "look at what was done, then release it";
    }
    return bound.money()
        ? "raise it: holdfast budgets raise " + bound.scope() + " --to USD"
        : "raise that limit in its design (holdfast design put, then holdfast design use "
            + bound.scope().substring(OF_TICKET.length())
            + ") or in the configuration, then release it";
  }

  private static HandlerResult reported(FinalReport report, Review review) {
    return switch (report.status()) {
      case SUCCESS ->
          new HandlerResult.Succeeded(
              StorableJson.of(report.toJson()).toString(), review, report.enqueue());
      case FAILURE -> HandlerResult.failed(failure(report));
      case QUESTION -> HandlerResult.asks(question(report));
    };
  }

  /**
   * Makes the error of a reported failure. Its category is stated, not read from the words: a
   * report that mentions a "429" in the code it worked on is no rate limit. The model has finished
   * and says that the task, as it is described, cannot be done. Waiting changes nothing about that,
   * so it is code_error, like the end without a report: one more try at once, then a person.
   */
  private static ErrorReport failure(FinalReport report) {
    String words = report.content() == null ? String.valueOf(report.data()) : report.content();
    return new ErrorReport(
        "the agent reports failure: " + words, null, null, null, Category.CODE_ERROR, null);
  }

  /** Returns the question, which was checked when it was reported. */
  private static Question question(FinalReport report) {
    return Question.of(StorableJson.of(Objects.requireNonNull(report.data())));
  }

  private static HandlerResult parked(SessionResult.AwaitsApproval waits) {
    ObjectNode details = JsonNodeFactory.instance.objectNode();
    ArrayNode calls = details.putArray("calls");
    for (PendingCall each : waits.calls()) {
      calls
          .addObject()
          .put("call", each.number())
          .put("tool", each.call().name())
          .put("arguments", ShortText.of(each.call().arguments(), LOGGED))
          .put("effect", ShortText.of(each.effect(), LOGGED));
    }
    return new HandlerResult.Parked(
        APPROVAL, APPROVAL_ACTIONS, StorableJson.of(details).toString());
  }

  private static HandlerResult unknown(SessionResult.UnknownEffect unknown) {
    String words =
        unknown.replies().stream().map(AgentResult::unclear).collect(Collectors.joining("\n"));
    String names =
        unknown.calls().stream().map(ToolCall::name).distinct().collect(Collectors.joining(", "));
    return HandlerResult.held(
        String.format(
            Locale.ROOT, "Unknown whether %s took effect: look, then release with guidance", names),
        new ErrorReport(words, null, null, null, Category.SYSTEM_ERROR, null));
  }

  private static String unclear(ToolReply reply) {
    ToolCall call = reply.call();
    return reply.executions() > 0
        ? ShortText.of(reply.content(), LOGGED)
        : "this tool call was cut off (the worker ended, or a person held or cancelled the ticket)"
            + " and may not run twice: "
            + call.name()
            + " "
            + ShortText.of(call.arguments(), SHOWN_ARGUMENTS);
  }
}
