package dev.holdfast.cli.root;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has subcommands, as {@code holdfast batch}. */
@Command
public final class GroupCommand implements Runnable {
  private final Map<String, Object> subcommands = new LinkedHashMap<>();

  @Spec private CommandSpec spec;

  /** Adds a subcommand: a command line, or an object with picocli's annotations. */
  public GroupCommand with(String name, Object subcommand) {
    subcommands.put(name, subcommand);
    return this;
  }

  /** Returns the command with its help. */
  public CommandLine line(String description, String... examples) {
    CommandLine line = new CommandLine(this);
    subcommands.forEach(line::addSubcommand);
    line.getCommandSpec()
        .usageMessage()
        .synopsisSubcommandLabel("(" + String.join(" | ", subcommands.keySet()) + ")");
    return UsageHelp.of(line, description, examples);
  }

  @Override
  public void run() {
    List<String> names = new ArrayList<>(subcommands.keySet());
    String last = names.removeLast();
    throw new ParameterException(
        spec.commandLine(), String.join(", ", names) + " or " + last + "?");
  }
}
