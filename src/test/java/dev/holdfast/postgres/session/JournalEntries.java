package dev.holdfast.postgres.session;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.Standing;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportMetadata;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.util.List;
import tools.jackson.databind.node.JsonNodeFactory;

/** Entries of journals as sessions write them. */
public final class JournalEntries {
  static final Target TARGET = new Target("openai", "gpt");
  static final Usage USAGE = new Usage(100, 20, 3, 10);
  static final ToolCall CALL = new ToolCall("c-1", "read_file", "{\"path\": \"a\\u0000b\"");

  static final Standing STANDING =
      new Standing(
          2,
          3,
          true,
          1,
          2,
          1,
          1,
          "end",
          Standing.Forced.MAX_TURNS,
          new Standing.Pending(
              new FinalReport(FinalReport.Status.SUCCESS, "done \0", null),
              ReportSource.TOOL_MESSAGE),
          List.of(new Message.User("System notice: report", "invalid_response")));

  public static final List<JournalEntry> OF_EVERY_KIND =
      List.of(
          new JournalEntry.Said(Input.task("make it\nbetter \0 \uD83D")),
          answered(1, CALL),
          new JournalEntry.ToolStarted(1, "c-1", "run_command"),
          new JournalEntry.ToolFinished(
              1, new ToolReply(CALL, ToolReply.Outcome.FAILED, "line 1\nline 2 \0\uDE00", 3)),
          new JournalEntry.Discarded(2, 1, TARGET, "empty", USAGE, null, STANDING, false),
          new JournalEntry.Discarded(2, 2, TARGET, "timeout", USAGE, null, STANDING, true),
          new JournalEntry.TurnFailed(2, TARGET, "rate_limit", "HTTP 429", STANDING),
          new JournalEntry.Compacted(
              List.of(
                  new Message.User("a"),
                  new Message.Assistant("t", "r", List.of(CALL), "{\"signed\":true}"),
                  new Message.ToolResult("c-1", "read_file", "c", true)),
              true,
              TARGET,
              USAGE,
              new BigDecimal("0.0001")),
          new JournalEntry.Ended(
              2,
              "reported",
              new FinalReport(
                  FinalReport.Status.SUCCESS,
                  null,
                  JsonNodeFactory.instance.objectNode().put("n", 1).put("t", "\0")),
              ReportSource.TOOL_CALL,
              null),
          new JournalEntry.Ended(
              3,
              "EXIT-TOKEN-LIMIT",
              new FinalReport(FinalReport.Status.FAILURE, "no", null),
              ReportSource.SYNTHETIC,
              new ReportMetadata("context", 1, 0, "end", null)),
          new JournalEntry.Ended(3, "unknown_effect", null, null, null),
          new JournalEntry.StepFinished(
              "run-1/iteration-1/answer",
              JsonNodeFactory.instance.stringNode("a \0 patch"),
              List.of(
                  JsonNodeFactory.instance
                      .objectNode()
                      .put("type", "RepairAttempted")
                      .put("at", "2026-11-21T08:00:00Z")
                      .put("run", "r-1")
                      .set("payload", JsonNodeFactory.instance.objectNode().put("t", "\0"))),
              TARGET,
              USAGE,
              new BigDecimal("0.01"),
              12));

  private JournalEntries() {}

  /** Of so many entries. */
  static Usage usage(int entries) {
    return new Usage(100L * entries, 20L * entries, 3L * entries, 10L * entries);
  }

  static JournalEntry.Answered answered(int turn, ToolCall... calls) {
    return new JournalEntry.Answered(
        turn,
        1,
        TARGET,
        List.of(new Message.User("System notice: go on", "invalid_response")),
        new Message.Assistant("I look.", "hm", List.of(calls), "{\"signature\":\"x\"}"),
        StopReason.TOOL_CALLS,
        USAGE,
        new BigDecimal("0.0123"),
        true,
        STANDING);
  }
}
