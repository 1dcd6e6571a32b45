package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast resume}. */
@Command(
    name = "resume",
    description = "Let workers claim from a paused queue again.",
    footer = {"", "Example:", "  holdfast resume mail"})
public final class ResumeCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "QUEUE", description = "The queue's name.")
  private String queue = "";

  @Option(
      names = "--by",
      paramLabel = "WHO",
      description = "Who decides this; default: your user name.")
  private @Nullable String by;

  public ResumeCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      backend.desk().resumeQueue(queue, by == null ? root.person() : by);
      root.terminal().line("resumed the queue " + PlainText.oneLine(queue));
      return ExitCode.DONE;
    }
  }
}
