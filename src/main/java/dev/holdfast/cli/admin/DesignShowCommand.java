package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.schema.ExactJson;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.NotFoundException;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast design show}. */
@Command(
    name = "show",
    description = "Show the latest version of a design.",
    footer = {
      "",
      "Example:",
      "  holdfast design show nightly --json | jq .definition > nightly.json"
    })
final class DesignShowCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "NAME", description = "The design's name.")
  private String name = "";

  @Option(names = "--json", description = "Print a JSON object.")
  private boolean json;

  DesignShowCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      Design design =
          backend
              .designs()
              .find(name)
              .orElseThrow(
                  () ->
                      new NotFoundException(
                          "there is no design \""
                              + PlainText.cut(name, 60)
                              + "\"; holdfast design list shows them"));
      root.terminal().line(json ? JsonOutput.of(design) : text(design));
      return ExitCode.DONE;
    }
  }

  private static String text(Design design) {
    String document =
        ExactJson.MAPPER
            .writerWithDefaultPrettyPrinter()
            .writeValueAsString(ExactJson.MAPPER.readTree(design.definition()));
    return String.format(
        Locale.ROOT,
        "%s, version %d, kind %s%n%s",
        design.name(),
        design.version(),
        design.kind(),
        document);
  }
}
