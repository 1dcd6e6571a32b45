package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * {@code holdfast abort-retry}: the ticket's worker takes the order, or no retry of it waits. A
 * ticket that waits for its retry or a provider is tried now.
 */
@Command(
    name = "abort-retry",
    description =
        "End the wait that a ticket is in. The retry that the session of a running ticket waits in"
            + " is given up: the attempt fails with the error it would have retried. A ticket that"
            + " waits for its own retry or for a provider is tried now.",
    footer = {"", "Example:", "  holdfast abort-retry 17"})
public final class AbortRetryCommand implements Callable<Integer> {
  private static final Duration LONGEST_WAIT = Duration.ofSeconds(15);
  private static final Duration POLL = Duration.ofMillis(100);

  /** What is printed of a ticket that waited. */
  private record TriedNow(long ticketId, boolean retryAborted, boolean triedNow) {}

  /** What is printed of one that runs. */
  private record Ordered(long ticketId, boolean retryAborted) {}

  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", description = "The ticket.")
  private String id = "";

  @Option(
      names = "--wait",
      paramLabel = "TIME",
      description = "How long its worker may take to answer; at most 15s. Default: 5s.")
  private String wait = "5s";

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print a JSON object with the ticket and what was done.")
  private boolean json;

  public AbortRetryCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    long number = Words.id(id);
    Duration patience = Words.duration("--wait", wait);
    if (patience.compareTo(LONGEST_WAIT) > 0) {
      throw new UsageException("--wait: " + wait + " is too long; an order lasts for 15s");
    }
    try (Backend backend = root.open()) {
      String person = by.name(root);
      TicketState state = backend.desk().abortRetry(number, person);
      if (state == TicketState.READY) {
        reportTriedNow(number);
        return ExitCode.DONE;
      }
      boolean taken =
          isTaken(backend.reader(), number, patience)
              || !backend.desk().withdrawAbortRetry(number, person);
      report(number, taken);
      return taken ? ExitCode.DONE : ExitCode.REFUSED;
    }
  }

  private static boolean isTaken(TicketReader reader, long number, Duration patience)
      throws InterruptedException {
    for (long left = patience.toMillis(); left > 0; left -= POLL.toMillis()) {
      if (!reader.hasRetryAbort(number)) {
        return true;
      }
      Thread.sleep(POLL);
    }
    return false;
  }

  private void reportTriedNow(long number) {
    if (json) {
      root.terminal().line(JsonOutput.of(new TriedNow(number, false, true)));
    } else {
      root.terminal().line("#" + number + " is tried now");
    }
  }

  private void report(long number, boolean taken) {
    if (!taken) {
      root.terminal()
          .progress(
              ("holdfast: #%s: no retry of it waits now, so nothing was ended; holdfast"
                      + " watch %s shows when one does")
                  .formatted(number, number));
    }
    if (json) {
      root.terminal().line(JsonOutput.of(new Ordered(number, taken)));
    } else if (taken) {
      root.terminal().line("ended the retry of #" + number);
    }
  }
}
