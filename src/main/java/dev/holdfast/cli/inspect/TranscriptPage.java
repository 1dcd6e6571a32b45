package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import dev.holdfast.session.journal.JournalReader;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.session.journal.JournalTotal;
import dev.holdfast.session.report.FinalReport;
import java.math.BigDecimal;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;

/** Prints a session for people: who said what, cut to a few lines each, and what it cost. */
record TranscriptPage(Terminal terminal) {
  private static final int LINES = 6;
  private static final int WIDTH = 200;

  /** Prints nothing where there is no session. */
  void print(JournalReader journals, long ticketId) {
    JournalTotal total = journals.total(ticketId);
    if (total.rows() == 0) {
      return;
    }
    terminal.line("");
    terminal.line(
        "transcript: " + total.answers() + " answers, " + cost(total.usage(), total.costUsd()));
    journals.each(ticketId, this::row);
  }

  private void row(JournalRow row) {
    if (row.kind().equals(JournalRow.STARTED_OVER)) {
      terminal.line("  --- started over ---");
      return;
    }
    try {
      entry(JournalJson.read(row.entry()));
    } catch (JacksonException | NullPointerException | IllegalArgumentException e) {
      terminal.line(
          "  [row " + row.seq() + ", " + PlainText.oneLine(row.kind()) + ", cannot be read]");
    }
  }

  private void entry(JournalEntry entry) {
    switch (entry) {
      case JournalEntry.Said said -> text("said", said.input().text());
      case JournalEntry.Answered answer -> answered(answer);
      case JournalEntry.Discarded answer ->
          heading(
              answer.turn(),
              answer.target(),
              answer.usage(),
              answer.costUsd(),
              (answer.unanswered() ? "counted at its worst: " : "discarded: ") + answer.why());
      case JournalEntry.TurnFailed turn ->
          text("turn " + turn.turn() + " failed, " + turn.target(), turn.message());
      case JournalEntry.ToolStarted begun -> {
        // Its result says more, and is there before the session goes on.
      }
      case JournalEntry.ToolFinished tool ->
          text(
              tool.reply().call().name()
                  + " "
                  + tool.reply().outcome().name().toLowerCase(Locale.ROOT).replace('_', ' '),
              tool.reply().content());
      case JournalEntry.Compacted compacted ->
          terminal.line(
              compacted.summarised()
                  ? "  [older turns were summed up: "
                      + cost(compacted.usage(), compacted.costUsd())
                      + "]"
                  : "  [older turns were shortened]");
      case JournalEntry.Ended end -> ended(end);
      case JournalEntry.StepFinished step -> step(step);
    }
  }

  private void answered(JournalEntry.Answered answer) {
    heading(answer.turn(), answer.target(), answer.usage(), answer.costUsd(), null);
    for (Message.User notice : answer.notices()) {
      text("notice", notice.content());
    }
    text("answer", answer.message().text());
    for (ToolCall call : answer.message().toolCalls()) {
      text("call " + call.name(), call.arguments());
    }
  }

  private void heading(
      int turn, Target target, Usage usage, @Nullable BigDecimal costUsd, @Nullable String why) {
    terminal.line(
        "  turn "
            + turn
            + ", "
            + PlainText.oneLine(target)
            + ", "
            + cost(usage, costUsd)
            + (why == null ? "" : ", " + PlainText.oneLine(why)));
  }

  private void ended(JournalEntry.Ended end) {
    FinalReport report = end.report();
    text("ended", end.how() + (report == null ? "" : ": " + report.toJson()));
  }

  private void step(JournalEntry.StepFinished step) {
    String spent = step.usage().equals(Usage.NONE) ? "" : ", " + cost(step.usage(), step.costUsd());
    terminal.line("  step " + PlainText.oneLine(step.step()) + spent);
    if (step.value().isString()) {
      text("text", step.value().stringValue());
    } else if (step.value().isObject()) {
      step.value()
          .forEachEntry(
              (key, value) -> text(key, value.isString() ? value.stringValue() : value.toString()));
    }
  }

  private void text(String who, String text) {
    if (text.isBlank()) {
      return;
    }
    List<String> lines = PlainText.lines(text).strip().lines().toList();
    terminal.line("    " + PlainText.oneLine(who) + ": " + PlainText.cut(lines.getFirst(), WIDTH));
    lines.stream()
        .skip(1)
        .limit(LINES - 1)
        .forEach(line -> terminal.line("      " + PlainText.cut(line, WIDTH)));
    if (lines.size() > LINES) {
      terminal.line("      … " + (lines.size() - LINES) + " more lines");
    }
  }

  private static String cost(Usage usage, @Nullable BigDecimal costUsd) {
    return "%s tokens in, %s out%s"
        .formatted(
            usage.context() - usage.output(),
            usage.output(),
            costUsd == null ? "" : ", $" + costUsd.stripTrailingZeros().toPlainString());
  }
}
