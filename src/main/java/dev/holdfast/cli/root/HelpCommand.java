package dev.holdfast.cli.root;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.config.ConfigurationPage;
import dev.holdfast.schema.NearestKey;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code holdfast help}. */
@Command(
    name = "help",
    description = "Explain a command, or all configuration keys.",
    footer = {"", "Examples:", "  holdfast help release", "  holdfast help config"})
public final class HelpCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Spec private CommandSpec spec;

  @Parameters(paramLabel = "TOPIC", arity = "0..1", description = "A command, or config.")
  private @Nullable String topic;

  @Option(names = "--markdown", hidden = true, description = "As docs/configuration.md.")
  private boolean markdown;

  public HelpCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    CommandLine all = spec.commandLine().getParent();
    if (topic == null) {
      all.usage(root.terminal().out());
    } else if (topic.equals("config")) {
      root.terminal()
          .out()
          .print(markdown ? ConfigurationPage.markdown() : ConfigurationPage.text());
    } else {
      CommandLine command = all.getSubcommands().get(topic);
      if (command == null) {
        String meant =
            NearestKey.meant(topic, all.getSubcommands().keySet())
                .map(nearest -> "did you mean " + nearest + "? ")
                .orElse("");
        throw new UsageException(
            "there is no command \"%s\"; %sall: holdfast help"
                .formatted(PlainText.cut(topic, 40), meant));
      }
      command.usage(root.terminal().out());
    }
    return ExitCode.DONE;
  }
}
