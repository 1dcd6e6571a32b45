package dev.holdfast.web.console.view;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.session.journal.JournalTotal;
import dev.holdfast.session.report.FinalReport;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A ticket's sessions, step by step.
 *
 * @param total what they used, in words; "" where there is no session
 */
public record TranscriptView(List<Step> steps, String total) {
  private static final JsonMapper JSON = new JsonMapper();

  public TranscriptView {
    steps = List.copyOf(steps);
  }

  /**
   * A step.
   *
   * @param kind the step's class in the page
   * @param about its tokens, its cost and its result
   */
  public record Step(String kind, String heading, String about, List<Block> blocks) {
    public Step {
      blocks = List.copyOf(blocks);
    }

    static Step of(String kind, String heading, String about, Block... blocks) {
      return new Step(
          kind, heading, about, List.of(blocks).stream().filter(Block::saysSomething).toList());
    }
  }

  /** A text; a long one is folded. */
  public record Block(String name, String text) {
    private static final int SHORT_LINES = 12;
    private static final int SHORT = 1_200;

    boolean saysSomething() {
      return !text.isBlank();
    }

    /** Returns the files, where it is a diff. */
    public List<Diff.File> files() {
      return Diff.looksLike(text) ? Diff.of(text).files() : List.of();
    }

    public boolean isLong() {
      return text.length() > SHORT || text.lines().count() > SHORT_LINES;
    }
  }

  /**
   * Makes the view of the newest steps where there are too many for a page.
   *
   * @param newest the newest steps, as many as fit
   */
  public static TranscriptView of(JournalTotal total, List<JournalRow> newest) {
    List<Step> steps = new ArrayList<>();
    if (total.rows() > newest.size()) {
      String left = Format.count(total.rows() - newest.size(), "older step") + " left out";
      steps.add(Step.of("mark", left, "holdfast show ID --transcript prints all"));
    }
    newest.forEach(row -> steps.add(step(row, entry(row))));
    return new TranscriptView(
        steps, total.rows() == 0 ? "" : spent(total.usage(), total.costUsd()));
  }

  private static @Nullable JournalEntry entry(JournalRow row) {
    try {
      return row.kind().equals(JournalRow.STARTED_OVER) ? null : JournalJson.read(row.entry());
    } catch (JacksonException | NullPointerException | IllegalArgumentException e) {
      return null;
    }
  }

  private static Step step(JournalRow row, @Nullable JournalEntry entry) {
    if (row.entry().isEmpty()) {
      return Step.of(
          "mark",
          "Step " + row.seq() + " is too long for a page",
          "holdfast show ID --transcript prints it");
    }
    if (entry == null) {
      return row.kind().equals(JournalRow.STARTED_OVER)
          ? Step.of("mark", "Started over", "what stands above belongs to a session that was left")
          : Step.of("mark", "Step " + row.seq() + " cannot be read", row.kind());
    }
    return switch (entry) {
      case JournalEntry.Said said ->
          Step.of("said", "Told the agent", said.input().key(), new Block("", said.input().text()));
      case JournalEntry.Answered answer -> answered(answer);
      case JournalEntry.Discarded answer ->
          Step.of(
              "failed",
              "Turn "
                  + answer.turn()
                  + (answer.unanswered() ? ": no answer" : ": answer discarded"),
              answer.target()
                  + " · "
                  + Format.words(answer.why())
                  + " · "
                  + spent(answer.usage(), answer.costUsd()));
      case JournalEntry.TurnFailed turn ->
          Step.of(
              "failed",
              "Turn " + turn.turn() + " failed",
              turn.target() + " · " + Format.words(turn.type()),
              new Block("", turn.message()));
      case JournalEntry.ToolStarted begun ->
          Step.of("mark", begun.tool() + " begins", "it may not run twice");
      case JournalEntry.ToolFinished tool -> tool(tool);
      case JournalEntry.Compacted made ->
          Step.of(
              "mark",
              made.summarised() ? "Older turns were summed up" : "Older turns were shortened",
              spent(made.usage(), made.costUsd()));
      case JournalEntry.Ended end -> ended(end);
      case JournalEntry.StepFinished done -> finished(done);
    };
  }

  private static Step finished(JournalEntry.StepFinished done) {
    boolean asked = !done.usage().equals(Usage.NONE);
    JsonNode value = done.value();
    String text =
        value.isString()
            ? value.stringValue()
            : value.isNull() ? "" : ResultView.indented(value.toString());
    return Step.of(
        asked ? "answer" : "tool",
        done.step(),
        asked ? spent(done.usage(), done.costUsd()) : "",
        new Block("", text));
  }

  private static Step answered(JournalEntry.Answered answer) {
    List<Block> blocks = new ArrayList<>();
    for (Message.User notice : answer.notices()) {
      blocks.add(new Block("notice", notice.content()));
    }
    blocks.add(new Block("thought aloud", answer.message().reasoning()));
    blocks.add(new Block("", answer.message().text()));
    for (ToolCall call : answer.message().toolCalls()) {
      blocks.add(new Block("calls " + call.name(), arguments(call)));
    }
    return Step.of(
        "answer",
        "Turn " + answer.turn(),
        answer.target() + " · " + spent(answer.usage(), answer.costUsd()),
        blocks.toArray(Block[]::new));
  }

  /**
   * Returns a patch as it is, because it can be read then; other arguments as the model wrote them.
   */
  private static String arguments(ToolCall call) {
    try {
      String patch = JSON.readTree(call.arguments()).path("patch").asString("");
      return Diff.looksLike(patch) ? patch : call.arguments();
    } catch (JacksonException e) {
      return call.arguments();
    }
  }

  private static Step tool(JournalEntry.ToolFinished tool) {
    String outcome = tool.reply().outcome().name().toLowerCase(Locale.ROOT);
    return Step.of(
        outcome.equals("ok") ? "tool" : "failed",
        tool.reply().call().name(),
        Format.words(outcome),
        new Block("", tool.reply().content()));
  }

  private static Step ended(JournalEntry.Ended end) {
    FinalReport report = end.report();
    return Step.of(
        "mark",
        "Ended: " + Format.words(end.how()),
        "",
        new Block("report", report == null ? "" : ResultView.indented(report.toJson().toString())));
  }

  private static String spent(Usage usage, @Nullable BigDecimal cost) {
    return "%s tokens in, %s out%s"
        .formatted(
            Format.number(usage.context() - usage.output()),
            Format.number(usage.output()),
            cost == null ? "" : ", " + Format.money(cost));
  }
}
