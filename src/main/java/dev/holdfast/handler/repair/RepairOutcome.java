package dev.holdfast.handler.repair;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.handler.StorableJson;
import dev.holdfast.repair.EndReason;
import dev.holdfast.repair.RepairRun;
import dev.holdfast.repair.RunEnd;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.worker.HandlerResult;
import java.nio.file.Path;
import java.util.Locale;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Turns the end of a run into the ticket's result (composition 9). */
record RepairOutcome(ClaimedTicket claimed, RepairDesign design, Path runs) {
  private static final int SHOWN_DIFF = 20_000;
  private static final int STORED_DIFF = 400_000;
  private static final int SHOWN_KNOWN = 2_000;

  /**
   * @param number of the run
   */
  HandlerResult of(RunEnd end, int number) {
    return switch (end.reason()) {
      case VERIFICATION_PASSED, NOTHING_TO_REPAIR ->
          new HandlerResult.Succeeded(
              StorableJson.of(result(end, number)).toString(), design.review().of(claimed.id()));
      case NON_IMPROVING, REPEATED_FAILURE, INVALID_OUTPUT, BUDGET_EXCEEDED ->
          HandlerResult.held(holdReason(end), error(end, number));
    };
  }

  /**
   * Returns the reason of the hold. It names the ticket where its money is used up, so that raising
   * its limit releases it.
   */
  private String holdReason(RunEnd end) {
    boolean money = end.detail().startsWith("ticket:" + claimed.id() + ": ");
    return money ? wireName(end) + ": " + end.detail() : wireName(end);
  }

  private ObjectNode result(RunEnd end, int number) {
    ObjectNode result = JsonMapper.shared().createObjectNode();
    result.put("status", "success").put("summary", summary(end)).put("reason", wireName(end));
    if (!end.commit().id().isEmpty()) {
      result.put("branch", end.commit().branch()).put("commit", end.commit().id());
    }
    result
        .put("repository", design.repository().description())
        .put("base_commit", end.baseCommit())
        .put("diff", cut(end.tree().diff(), STORED_DIFF))
        .put("lines", end.lines());
    result.set("verification", verification(end));
    result
        .put("on_approve", design.onApprove().name().toLowerCase(Locale.ROOT))
        .put("trace", trace(number).toString())
        .put("iterations", end.counts().iterations())
        .put("escalations", end.counts().escalations())
        .put("llm_calls", end.spent().calls())
        .put("cost_usd", end.spent().costUsd());
    return result;
  }

  private ObjectNode verification(RunEnd end) {
    ObjectNode verification =
        JsonMapper.shared().createObjectNode().put("passed", end.verified().passed());
    var commands = verification.putArray("commands");
    design
        .verify()
        .forEach(
            each ->
                commands
                    .addObject()
                    .put("name", each.name())
                    .put("command", String.join(" ", each.command())));
    return verification.put("output", end.verified().output());
  }

  private static String wireName(RunEnd end) {
    return end.reason().wireName();
  }

  private static String summary(RunEnd end) {
    return end.reason() == EndReason.NOTHING_TO_REPAIR
        ? "Nothing to repair: the verification passes already."
        : "The verification passes with a patch of %s lines (%s), on the branch %s."
            .formatted(end.lines(), end.detail(), end.commit().branch());
  }

  private Path trace(int number) {
    return RepairRun.traceFile(runs, RepairRun.name(RepairJob.workplace(claimed), number));
  }

  private ErrorReport error(RunEnd end, int number) {
    StringBuilder text = new StringBuilder();
    text.append(wireName(end)).append(": ").append(end.detail()).append('\n');
    text.append("\nFailing checks:\n");
    end.verified().failing().forEach(each -> text.append("  ").append(each).append('\n'));
    end.known().stream()
        .filter(each -> each.startsWith("Diagnosis"))
        .forEach(each -> text.append('\n').append(cut(each, SHOWN_KNOWN)).append('\n'));
    text.append(
        end.tree().diff().isEmpty()
            ? "\nNo patch has applied so far.\n"
            : "\nBest candidate so far (%s lines):\n%s"
                .formatted(end.lines(), cut(end.tree().diff(), SHOWN_DIFF)));
    text.append("\nTrace: ").append(trace(number)).append('\n');
    return new ErrorReport(text.toString(), null, null, null, category(end.reason()), null);
  }

  private static Category category(EndReason reason) {
    return reason == EndReason.BUDGET_EXCEEDED ? Category.TRANSIENT : Category.CODE_ERROR;
  }

  private static String cut(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most) + "\n… (cut)";
  }
}
