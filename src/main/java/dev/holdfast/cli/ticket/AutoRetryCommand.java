package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.TicketDesk.AutoRetry;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast auto-retry}. */
@Command(
    name = "auto-retry",
    description =
        "Switch the retries of an agent's session off or on for one ticket, also while it runs, on"
            + " whatever worker. It counts before the design and the configuration; the ticket's"
            + " own retries go on.",
    footer = {"", "Example:", "  holdfast auto-retry 17 off"})
public final class AutoRetryCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(index = "0", paramLabel = "ID", description = "The ticket.")
  private String id = "";

  @Parameters(index = "1", paramLabel = "on|off", description = "Whether its sessions retry.")
  private String word = "";

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print a JSON object with the ticket and the switch.")
  private boolean json;

  public AutoRetryCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    long number = Words.id(id);
    AutoRetry autoRetry =
        switch (word) {
          case "on" -> AutoRetry.ON;
          case "off" -> AutoRetry.OFF;
          default ->
              throw new UsageException("\"" + PlainText.cut(word, 40) + "\" is neither on nor off");
        };
    try (Backend backend = root.open()) {
      backend.desk().setAutoRetry(number, by.name(root), autoRetry);
    }
    if (json) {
      Map<String, @Nullable Object> object = new LinkedHashMap<>();
      object.put("ticket_id", number);
      object.put("auto_retry", autoRetry == AutoRetry.ON);
      root.terminal().line(JsonOutput.of(object));
    } else {
      root.terminal().line("switched the auto-retry of #" + number + " " + word);
    }
    return ExitCode.DONE;
  }
}
