package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.schema.Question;

/** The question that a held ticket waits with, and the command that answers it. */
record QuestionPage(Terminal terminal) {
  void print(long ticketId, Question question) {
    terminal.line("");
    terminal.line("it asks:");
    PlainText.lines(question.ask()).lines().forEach(line -> terminal.line("  " + line));
    question.choiceTexts().forEach(choice -> terminal.line("  - " + PlainText.oneLine(choice)));
    if (question.schema() != null) {
      terminal.line("  as JSON of the schema " + PlainText.oneLine(question.schema().toString()));
    }
    terminal.line(
        "answer it: holdfast answer "
            + ticketId
            + (question.schema() == null ? " TEXT" : " --json JSON"));
  }
}
