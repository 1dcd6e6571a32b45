package dev.holdfast.cli.root;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Column;
import picocli.CommandLine.Help.Column.Overflow;
import picocli.CommandLine.Help.TextTable;

/**
 * The program's commands in its help, sorted by what people want to do, each with its first
 * sentence.
 */
final class CommandList {
  private static final int NAMES = 15;

  private CommandList() {}

  private static Map<String, List<String>> groups() {
    Map<String, List<String>> groups = new LinkedHashMap<>();
    groups.put("Start", List.of("demo", "migrate", "worker", "console", "doctor"));
    groups.put("Look", List.of("list", "show", "watch", "logs", "stats", "runs"));
    groups.put(
        "Work with tickets",
        List.of(
            "enqueue",
            "release",
            "answer",
            "approve",
            "reject",
            "hold",
            "cancel",
            "replay",
            "batch",
            "abort-retry",
            "auto-retry"));
    groups.put(
        "Set up",
        List.of("design", "schedule", "limit", "pause", "resume", "providers", "budgets", "token"));
    return groups;
  }

  /** Returns the list. Commands of no group come last. */
  static String of(Help help) {
    Map<String, Help> left = new LinkedHashMap<>(help.subcommands());
    StringBuilder text = new StringBuilder();
    groups()
        .forEach(
            (title, names) -> {
              List<Help> group = new ArrayList<>();
              names.stream()
                  .filter(left::containsKey)
                  .forEach(each -> group.add(left.remove(each)));
              append(text, title, group, help);
            });
    append(text, "More", List.copyOf(left.values()), help);
    return text.toString();
  }

  private static void append(StringBuilder text, String title, List<Help> group, Help help) {
    if (group.isEmpty()) {
      return;
    }
    int width = help.commandSpec().usageMessage().width();
    TextTable table =
        TextTable.forColumns(
            help.colorScheme(),
            new Column(NAMES, 2, Overflow.SPAN),
            new Column(width - NAMES, 0, Overflow.WRAP));
    for (Help each : group) {
      table.addRowValues(
          help.colorScheme().commandText(each.commandSpec().name()),
          help.colorScheme().text(firstSentence(each)));
    }
    text.append(System.lineSeparator()).append(title).append(':').append(System.lineSeparator());
    text.append(table);
  }

  private static String firstSentence(Help help) {
    String description = String.join(" ", help.commandSpec().usageMessage().description());
    int end = description.indexOf(". ");
    return end < 0 ? description : description.substring(0, end + 1);
  }
}
