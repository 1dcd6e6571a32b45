package dev.holdfast.cli.root;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** Completions of the fish shell, which picocli does not write. */
final class FishCompletion {
  private FishCompletion() {}

  /** Returns the lines for commands, their subcommands and all their options. */
  static String of(CommandLine program) {
    StringBuilder script = new StringBuilder();
    String name = program.getCommandName();
    Map<String, CommandLine> commands = program.getSubcommands();
    options(script, name, "__fish_use_subcommand", program.getCommandSpec());
    commands.forEach(
        (command, line) -> {
          add(script, name, "__fish_use_subcommand", command, line);
          Map<String, CommandLine> subs = line.getSubcommands();
          String inside = seen(command);
          String alone = inside + unless(subs.keySet()) + unless(withSub(commands, command));
          options(script, name, alone, line.getCommandSpec());
          subs.forEach(
              (sub, subLine) -> {
                add(script, name, alone, sub, subLine);
                options(script, name, inside + "; and " + seen(sub), subLine.getCommandSpec());
              });
        });
    return script.toString();
  }

  /** Returns the commands that have a subcommand of this name themselves, as batch has list. */
  private static List<String> withSub(Map<String, CommandLine> commands, String sub) {
    return commands.entrySet().stream()
        .filter(each -> each.getValue().getSubcommands().containsKey(sub))
        .map(Map.Entry::getKey)
        .toList();
  }

  private static String seen(String word) {
    return "__fish_seen_subcommand_from " + word;
  }

  private static String unless(Collection<String> words) {
    return words.isEmpty() ? "" : "; and not " + seen(String.join(" ", words));
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
