package dev.holdfast.cli.root;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine;
import picocli.CommandLine.Help;
import picocli.CommandLine.IHelpSectionRenderer;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Model.UsageMessageSpec;

/** What annotations cannot say of the help of commands. */
public final class Usage {
  private Usage() {}

  /** Examples of this command and those below it stay one line each: people copy them. */
  public static void keepExamples(CommandLine line) {
    Map<String, IHelpSectionRenderer> sections = new LinkedHashMap<>(line.getHelpSectionMap());
    sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, Usage::footer);
    line.setHelpSectionMap(sections);
  }

  private static String footer(Help help) {
    UsageMessageSpec usage = help.commandSpec().usageMessage();
    StringBuilder footer = new StringBuilder();
    for (String each : usage.footer()) {
      if (each.startsWith("  ")) {
        footer.append(each).append(System.lineSeparator());
      } else {
        Help.join(
            help.ansi(),
            usage.width(),
            usage.adjustLineBreaksForWideCJKCharacters(),
            new String[] {each},
            footer);
      }
    }
    return footer.toString();
  }

  /** Sets what a command that shares its class does and how it is called. */
  public static CommandLine of(CommandLine line, String description, String... examples) {
    List<String> footer =
        new ArrayList<>(List.of("", examples.length == 1 ? "Example:" : "Examples:"));
    for (String each : examples) {
      footer.add("  " + each);
    }
    line.getCommandSpec()
        .usageMessage()
        .description(description)
        .footer(footer.toArray(String[]::new));
    return line;
  }

  /** Names the first parameter. */
  static void parameter(CommandLine line, String label, String description) {
    CommandSpec spec = line.getCommandSpec();
    PositionalParamSpec old = spec.positionalParameters().getFirst();
    spec.remove(old);
    spec.add(PositionalParamSpec.builder(old).paramLabel(label).description(description).build());
  }
}
