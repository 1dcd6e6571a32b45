package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.schema.Question;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast answer}. */
@Command(
    name = "answer",
    description = "Answer the question of a held ticket; the next attempt is given your answer.",
    footer = {
      "",
      "Examples:",
      "  holdfast answer 17 red",
      "  holdfast answer 17 @letter.txt",
      "  holdfast answer 17 --json '{\"copies\": 2}'"
    })
public final class AnswerCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(
      index = "0",
      paramLabel = "ID",
      description = "The ticket; holdfast show prints its question.")
  private String id = "";

  @Parameters(
      index = "1",
      arity = "0..1",
      paramLabel = "TEXT|@FILE",
      description =
          "The answer: one of the choices, or a text, or JSON where the question has a schema.")
  private @Nullable String text;

  @Option(names = "--json", paramLabel = "JSON|@FILE", description = "The answer as JSON, instead.")
  private @Nullable String json;

  @Option(names = "--by", paramLabel = "WHO", description = "Who answers; default: your user name.")
  private @Nullable String by;

  public AnswerCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    long number = Words.id(id);
    if ((text == null) == (json == null)) {
      throw new UsageException(
          "which answer? give a text, or --json JSON; holdfast show "
              + number
              + " has the question");
    }
    String actor = by == null ? root.person() : by;
    try (Backend backend = root.open()) {
      backend.desk().answer(number, actor, answer(backend, number));
    }
    root.terminal().line("answered #" + number + "; it goes on");
    return ExitCode.DONE;
  }

  private String answer(Backend backend, long number) {
    if (json != null) {
      return Words.json("--json", json, root.terminal().in());
    }
    String words =
        Words.textOrFile("the answer", String.valueOf(text), root.terminal().in()).strip();
    return Question.answer(backend.reader().question(number), words);
  }
}
