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

/** The parts of the help of commands that annotations cannot express. */
public final class UsageHelp {
  private UsageHelp() {}

  /** Sets the form of the help of the program and of its commands. */
  public static void layOut(CommandLine line) {
    Map<String, IHelpSectionRenderer> sections = new LinkedHashMap<>(line.getHelpSectionMap());
    sections.put(UsageMessageSpec.SECTION_KEY_FOOTER, UsageHelp::footer);
    line.setHelpSectionMap(sections);
    // This is not for the commands below, which get the map before it.
    Map<String, IHelpSectionRenderer> own = new LinkedHashMap<>(sections);
    own.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST_HEADING, help -> "");
    own.put(UsageMessageSpec.SECTION_KEY_COMMAND_LIST, CommandList::of);
    line.getCommandSpec().usageMessage().sectionMap(own);
  }

  /**
   * Writes the footer. An example stays on one line, because people copy it. The lines between
   * examples are one text, however they are cut.
   */
  private static String footer(Help help) {
    StringBuilder footer = new StringBuilder();
    List<String> text = new ArrayList<>();
    for (String each : help.commandSpec().usageMessage().footer()) {
      if (each.isEmpty() || each.startsWith("  ")) {
        append(footer, text, help);
        footer.append(each).append(System.lineSeparator());
      } else {
        text.add(each);
      }
    }
    append(footer, text, help);
    return footer.toString();
  }

  private static void append(StringBuilder footer, List<String> text, Help help) {
    if (!text.isEmpty()) {
      UsageMessageSpec usage = help.commandSpec().usageMessage();
      Help.join(
          help.ansi(),
          usage.width(),
          usage.adjustLineBreaksForWideCJKCharacters(),
          new String[] {String.join(" ", text)},
          footer);
      text.clear();
    }
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
