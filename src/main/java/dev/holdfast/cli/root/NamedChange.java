package dev.holdfast.cli.root;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** A command that changes the one thing whose name is given. */
@Command
public final class NamedChange implements Callable<Integer> {
  /** Changes it. */
  @FunctionalInterface
  public interface Change {
    /**
     * @return the line that is printed
     */
    String apply(Backend backend, String name, String by);
  }

  private final HoldfastCommand root;
  private final Change change;

  @Parameters private String name = "";

  @Mixin private final ByOption by = new ByOption();

  private NamedChange(HoldfastCommand root, Change change) {
    this.root = root;
    this.change = change;
  }

  /**
   * Makes the command without its help.
   *
   * @param label the parameter in the help, as {@code QUEUE}
   * @param meaning what the parameter is
   */
  public static CommandLine of(HoldfastCommand root, String label, String meaning, Change change) {
    CommandLine line = new CommandLine(new NamedChange(root, change));
    UsageHelp.parameter(line, label, meaning);
    return line;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      root.terminal().line(PlainText.oneLine(change.apply(backend, name, by.name(root))));
      return ExitCode.DONE;
    }
  }
}
