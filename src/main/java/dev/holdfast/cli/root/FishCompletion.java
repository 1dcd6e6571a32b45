package dev.holdfast.cli.root;

import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completions of the fish shell, which picocli does not write. */
final class FishCompletion {
  private FishCompletion() {}

  /** The lines for commands, their subcommands and all their options. */
  static String of(CommandLine program) {
    StringBuilder script = new StringBuilder();
    String name = program.getCommandName();
    program
        .getSubcommands()
        .forEach(
            (command, line) -> {
              String here = "__fish_use_subcommand";
              add(script, name, here, command, line);
              String inside = "__fish_seen_subcommand_from " + command;
              options(script, name, inside, line.getCommandSpec());
              for (Map.Entry<String, CommandLine> sub : line.getSubcommands().entrySet()) {
                add(script, name, inside, sub.getKey(), sub.getValue());
                options(
                    script,
                    name,
                    inside + "; and __fish_seen_subcommand_from " + sub.getKey(),
                    sub.getValue().getCommandSpec());
              }
            });
    return script.toString();
  }

  private static void add(
      StringBuilder script, String program, String where, String command, CommandLine line) {
    String[] text = line.getCommandSpec().usageMessage().description();
    script
        .append("complete -c %s -f -n '%s' -a %s".formatted(program, where, command))
        .append(description(text))
        .append('\n');
  }

  private static void options(
      StringBuilder script, String program, String where, CommandSpec command) {
    for (OptionSpec option : command.options()) {
      if (option.hidden()) {
        continue;
      }
      script.append("complete -c %s -n '%s'".formatted(program, where));
      for (String name : option.names()) {
        script.append(name.startsWith("--") ? " -l " : " -s ").append(name.replaceAll("^-+", ""));
      }
      script
          .append(option.arity().max() > 0 ? " -r" : "")
          .append(description(option.description()))
          .append('\n');
    }
  }

  private static String description(String[] lines) {
    String text = lines.length == 0 ? "" : lines[0].replaceAll("[\\\\']", "").split("\\. ", 2)[0];
    return text.isEmpty() ? "" : " -d '" + text + "'";
  }
}
