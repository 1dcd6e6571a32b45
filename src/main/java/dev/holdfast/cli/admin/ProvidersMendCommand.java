package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.spending.SpendingDesk;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast providers mend}. */
@Command(
    name = "mend",
    description =
        "Open a provider's accounts again and let go every ticket that waits for them: new key in"
            + " place, balance topped up, or a cool-down that need not be waited for.",
    footer = {"", "Example:", "  holdfast providers mend openai --by ann"})
final class ProvidersMendCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "NAME", description = "The provider's name in the configuration.")
  private String provider = "";

  @Option(
      names = "--key-id",
      paramLabel = "X",
      description = "Only this key, as holdfast providers shows it.")
  private @Nullable String keyId;

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print one JSON object: accounts, released, woken.")
  private boolean json;

  ProvidersMendCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      SpendingDesk.Mended mended = backend.spending().mend(provider, by.name(root), keyId);
      root.terminal()
          .line(
              json
                  ? JsonOutput.of(mended)
                  : "mended %s: released %s held tickets, woke %s that waited"
                      .formatted(PlainText.oneLine(provider), mended.released(), mended.woken()));
      return ExitCode.DONE;
    }
  }
}
