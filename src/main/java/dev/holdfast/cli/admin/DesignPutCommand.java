package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.handler.design.DesignValidator;
import dev.holdfast.handler.design.ValidDesign;
import dev.holdfast.ticket.Design;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast design put}. */
@Command(
    name = "put",
    description = "Store a new version of a design. The same document again changes nothing.",
    footer = {"", "Example:", "  holdfast design put nightly --file nightly.yaml"})
final class DesignPutCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "NAME", description = "The design's name.")
  private String name = "";

  @Option(
      names = "--file",
      paramLabel = "F",
      required = true,
      description = "A JSON or YAML document; - is standard input.")
  private String file = "";

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print the stored design as a JSON object.")
  private boolean json;

  DesignPutCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    String document = Words.textOrFile("--file", "@" + file, root.terminal().in());
    ValidDesign valid = new DesignValidator().validate(document);
    try (Backend backend = root.open()) {
      Design design = backend.designs().put(name, valid.kind(), valid.definition(), by.name(root));
      root.terminal()
          .line(
              json
                  ? JsonOutput.of(design)
                  : "design " + design.name() + " is at version " + design.version());
      return ExitCode.DONE;
    }
  }
}
