package dev.holdfast.cli.root;

import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.PositionalParamSpec;

/** The help of commands that share a class, and so cannot have it as an annotation. */
public final class Usage {
  private Usage() {}

  /** Sets what the command does and how it is called. */
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
