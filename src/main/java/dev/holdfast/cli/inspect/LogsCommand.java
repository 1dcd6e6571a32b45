package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.LostDatabase;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.output.OutputChunk;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.ticket.NotFoundException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast logs}. */
@Command(
    name = "logs",
    description =
        "Print what the program of a ticket printed: its stdout to stdout, its stderr to stderr,"
            + " the last 64 KiB of each.",
    footer = {
      "",
      "Examples:",
      "  holdfast logs 17",
      "  holdfast logs 17 -f",
      "  holdfast logs 17 --attempt 2 2>/dev/null"
    })
public final class LogsCommand implements Callable<Integer> {
  private static final Duration POLL = Duration.ofMillis(500);

  /**
   * The number of looks after the end: the last piece may be stored a moment after the attempt has
   * ended.
   */
  private static final int LOOKS_AFTER_END = 3;

  private final HoldfastCommand root;
  private final NewOutput news = new NewOutput();

  @Parameters(paramLabel = "ID", description = "The ticket.")
  private String id = "";

  @Option(
      names = {"-f", "--follow"},
      description = "Go on until the attempt has ended; wait for the first one if none has begun.")
  private boolean follow;

  @Option(
      names = "--attempt",
      paramLabel = "N",
      description = "Which attempt, from 1; without it, the newest.")
  private @Nullable Integer attempt;

  @Option(
      names = "--json",
      description = "Print one JSON object with stdout, stderr and how long they are.")
  private boolean json;

  public LogsCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    long number = Words.id(id);
    if (attempt != null && attempt < 1) {
      throw new UsageException("--attempt: " + attempt + " is too small; the first is 1");
    }
    if (json && follow) {
      throw new UsageException("--json and -f do not go together; leave one of them out");
    }
    try (Backend backend = root.open()) {
      TicketReader reader = backend.reader();
      TicketRow ticket = ShowCommand.existing(reader, number);
      if (follow) {
        follow(reader, number);
      } else {
        print(reader.output(number, attempt).orElseThrow(() -> noAttempt(ticket)));
      }
      return ExitCode.DONE;
    }
  }

  private NotFoundException noAttempt(TicketRow ticket) {
    return new NotFoundException(
        attempt == null
            ? follow
                ? "ticket " + ticket.id() + " is " + ticket.state() + " and has never run"
                : "ticket " + ticket.id() + " has not run yet; holdfast logs -f waits for it"
            : "ticket %s has no attempt %s; holdfast show %s shows its attempts"
                .formatted(ticket.id(), attempt, ticket.id()));
  }

  private void print(AttemptOutput output) {
    Terminal terminal = root.terminal();
    if (json) {
      terminal.line(JsonOutput.of(output.columns()));
      return;
    }
    for (String stream : new String[] {OutputChunk.STDOUT, OutputChunk.STDERR}) {
      if (output.isCut(stream)) {
        terminal.progress(
            "holdfast: the end of " + output.bytes(stream) + " bytes of " + stream + ":");
      }
    }
    show(output);
    if (output.isEmpty()) {
      terminal.progress("attempt " + output.attempt() + " has printed nothing");
    }
  }

  private void show(AttemptOutput output) {
    root.terminal().out().print(news.of(output, OutputChunk.STDOUT));
    root.terminal().out().flush();
    root.terminal().err().print(news.of(output, OutputChunk.STDERR));
    root.terminal().err().flush();
  }

  private void follow(TicketReader reader, long number) throws InterruptedException {
    LostDatabase lost = new LostDatabase(root.terminal());
    Integer followed = attempt;
    int looksAfterEnd = 0;
    while (looksAfterEnd < LOOKS_AFTER_END && !root.terminal().isDeaf()) {
      try {
        // This is read before the output: a ticket that has ended by then begins no more attempts.
        Optional<TicketRow> ended = ended(reader, number);
        Optional<AttemptOutput> output = reader.output(number, followed);
        lost.found();
        if (output.isPresent()) {
          followed = output.get().attempt();
          show(output.get());
          looksAfterEnd += output.get().running() ? 0 : 1;
        } else if (ended.isPresent()) {
          throw noAttempt(ended.get());
        }
      } catch (DatabaseUnavailableException e) {
        lost.tell(e);
      }
      Thread.sleep(POLL);
    }
  }

  private static Optional<TicketRow> ended(TicketReader reader, long number) {
    TicketRow ticket = ShowCommand.existing(reader, number);
    return ticket.state().equals("done") || ticket.state().equals("cancelled")
        ? Optional.of(ticket)
        : Optional.empty();
  }
}
