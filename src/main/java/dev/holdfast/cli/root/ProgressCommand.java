package dev.holdfast.cli.root;

import dev.holdfast.cli.output.ChangeLines;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Words;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A command that shows the progress of something, and follows it on demand.
 *
 * @param <T> what is shown
 */
@Command
public final class ProgressCommand<T> implements Callable<Integer> {
  /**
   * The thing that is shown.
   *
   * @param name its name as in {@code holdfast NAME list}
   * @param find throws {@link dev.holdfast.ticket.NotFoundException} if it is not there
   * @param progress its progress in one line; a new one is printed when it changes
   * @param page all that is known about it, in lines
   */
  public record Subject<T>(
      String name,
      BiFunction<Backend, Long, T> find,
      Predicate<T> hasEnded,
      Function<T, String> progress,
      Function<T, List<String>> page) {}

  private final HoldfastCommand root;
  private final Subject<T> subject;

  @Parameters private String id = "";

  @Option(
      names = {"-w", "--watch"},
      description = "Print a line whenever it changes, until it has ended.")
  private boolean watch;

  @Option(names = "--json", description = "Print a JSON object; with -w one for each change.")
  private boolean json;

  private ProgressCommand(HoldfastCommand root, Subject<T> subject) {
    this.root = root;
    this.subject = subject;
  }

  /** Makes the command without its help. */
  public static <T> CommandLine of(HoldfastCommand root, Subject<T> subject) {
    CommandLine line = new CommandLine(new ProgressCommand<>(root, subject));
    UsageHelp.parameter(line, "ID", "As in: holdfast " + subject.name() + " list.");
    return line;
  }

  @Override
  public Integer call() throws InterruptedException {
    long number = Words.id(id, subject.name(), "holdfast " + subject.name() + " list");
    try (Backend backend = root.open()) {
      T found = subject.find().apply(backend, number);
      if (json) {
        root.terminal().line(JsonOutput.of(found));
      } else {
        subject.page().apply(found).forEach(each -> root.terminal().line(PlainText.oneLine(each)));
      }
      if (watch) {
        new ChangeLines<>(
                () -> subject.find().apply(backend, number),
                subject.hasEnded(),
                subject.progress(),
                this::line)
            .follow(root.terminal(), found);
      }
      return ExitCode.DONE;
    }
  }

  private String line(T now) {
    return json ? JsonOutput.of(now) : PlainText.oneLine(subject.progress().apply(now));
  }
}
