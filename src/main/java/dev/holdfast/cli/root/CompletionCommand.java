package dev.holdfast.cli.root;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.AutoComplete;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast completion}. */
@Command(
    name = "completion",
    description = "Print what makes a shell complete commands and options.",
    footer = {
      "",
      "Examples:",
      "  source <(holdfast completion bash)",
      "  holdfast completion bash > /etc/bash_completion.d/holdfast",
      "  source <(holdfast completion zsh)",
      "  holdfast completion fish > ~/.config/fish/completions/holdfast.fish"
    })
public final class CompletionCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "SHELL", description = "bash, zsh or fish.")
  private String shell = "";

  public CompletionCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    CommandLine all = spec.commandLine().getParent();
    String script =
        switch (shell.toLowerCase(Locale.ROOT)) {
          // The script for bash also sets up zsh.
          case "bash", "zsh" -> AutoComplete.bash(all.getCommandName(), all);
          case "fish" -> FishCompletion.of(all);
          default ->
              throw new UsageException(
                  "there is no completion for \""
                      + PlainText.cut(PlainText.oneLine(shell), 40)
                      + "\"; there is for bash, zsh and fish");
        };
    root.terminal().out().print(script);
    return ExitCode.DONE;
  }
}
