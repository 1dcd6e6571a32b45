package dev.holdfast.cli.limit;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast limit remove}. */
@Command(
    name = "remove",
    description = "Take the limit of a queue or a design away; what waited for it may run.",
    footer = {"", "Example:", "  holdfast limit remove queue:mail"})
final class LimitRemoveCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "SCOPE", description = "As in: holdfast limit list.")
  private String scope = "";

  @Option(
      names = "--by",
      paramLabel = "WHO",
      description = "Who decides this; default: your user name.")
  private @Nullable String by;

  LimitRemoveCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      backend.limits().remove(scope, by == null ? root.person() : by);
      root.terminal().line("removed the limit of " + PlainText.oneLine(scope));
      return ExitCode.DONE;
    }
  }
}
