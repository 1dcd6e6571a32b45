package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketSummary;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast list}. */
@Command(
    name = "list",
    description = "List tickets, the newest first; with --ready, what is claimed next.",
    footer = {
      "",
      "Examples:",
      "  holdfast list --ready",
      "  holdfast list --state on_hold --category api_error",
      "  holdfast list --kind agent --text invoice --since 2h",
      "  holdfast list --queue mail --limit 500 --json | jq '.[].id'"
    })
public final class ListCommand implements Callable<Integer> {
  private static final int LISTED = 50;
  private static final int NEXT = 10;

  private final HoldfastCommand root;

  @Option(
      names = "--state",
      paramLabel = "S",
      description = "ready, in_progress, needs_review, on_hold, done or cancelled.")
  private @Nullable String state;

  @Option(names = "--queue", paramLabel = "Q", description = "Only tickets of this queue.")
  private @Nullable String queue;

  @Option(names = "--kind", paramLabel = "K", description = "Only tickets of this kind.")
  private @Nullable String kind;

  @Option(
      names = "--text",
      paramLabel = "T",
      description = "Only tickets with this text in title or unique key, in capitals or not.")
  private @Nullable String text;

  @Option(
      names = "--since",
      paramLabel = "DURATION",
      description = "Only tickets enqueued since so long ago, such as 2h or 7d.")
  private @Nullable String since;

  @Option(
      names = "--design",
      paramLabel = "D",
      description = "Only tickets of this design, whatever its version.")
  private @Nullable String design;

  @Option(
      names = "--category",
      paramLabel = "C",
      description = "transient, api_error, code_error, system_error or unknown.")
  private @Nullable String category;

  @Option(
      names = "--fingerprint",
      paramLabel = "F",
      description = "Only tickets whose last error has this fingerprint; 8 characters are enough.")
  private @Nullable String fingerprint;

  @Option(
      names = "--ready",
      description =
          "What workers would claim next, in that order; with --queue only of that queue.")
  private boolean ready;

  @Option(
      names = "--limit",
      paramLabel = "N",
      description = "How many; default " + LISTED + ", of --ready " + NEXT + ".")
  private @Nullable Integer limit;

  @Option(names = "--json", description = "Print a JSON array of rows.")
  private boolean json;

  public ListCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (ready) {
      return next();
    }
    TicketFilter filter =
        new TicketFilter(
            state == null ? null : Words.state(state),
            queue,
            kind,
            design,
            category == null ? null : Words.category(category),
            fingerprint,
            text,
            since == null
                ? null
                : root.terminal().clock().instant().minus(Words.duration("--since", since)),
            null,
            null,
            null,
            Words.limit(limit == null ? LISTED : limit));
    try (Backend backend = root.open()) {
      if (json) {
        root.terminal().line(JsonOutput.of(backend.reader().list(filter)));
      } else {
        List<TicketSummary> rows = backend.reader().summaries(filter);
        print(rows, waits(backend, rows));
      }
      return ExitCode.DONE;
    }
  }

  private int next() {
    if (Stream.of(state, category, fingerprint, kind, text, since, design)
        .anyMatch(Objects::nonNull)) {
      throw new UsageException("--ready goes with --queue and --limit only; leave the others out");
    }
    int count = Words.limit(limit == null ? NEXT : limit);
    try (Backend backend = root.open()) {
      List<TicketSummary> rows = backend.reader().getReadyTickets(queue, count);
      if (json) {
        root.terminal().line(JsonOutput.of(rows));
      } else {
        print(rows, waits(backend, rows));
      }
      return ExitCode.DONE;
    }
  }

  /** Only those that are put off may wait for a provider. */
  private static Map<Long, String> waits(Backend backend, List<TicketSummary> rows) {
    List<Long> put =
        rows.stream()
            .filter(row -> row.state().equals("ready") && row.retryAfter() != null)
            .map(TicketSummary::id)
            .toList();
    return backend.reader().waitingFor(put);
  }

  private void print(List<TicketSummary> rows, Map<Long, String> waits) {
    if (rows.isEmpty()) {
      root.terminal().progress("no such tickets");
      return;
    }
    Instant now = root.terminal().clock().instant();
    TextTable table =
        new TextTable(
            "ID", "STATE", "QUEUE", "KIND", "DESIGN", "RETRIES", "UPDATED", "TITLE", "WHY");
    for (TicketSummary row : rows) {
      table.row(
          row.id(),
          row.state(),
          row.queue(),
          row.kind(),
          row.design() == null ? "" : row.design() + " v" + row.designVersion(),
          row.retryCount(),
          PlainText.relative(row.updatedAt(), now),
          row.title(),
          why(row, waits.get(row.id()), now));
    }
    table.print(root.terminal());
  }

  private static String why(TicketSummary row, @Nullable String waitsFor, Instant now) {
    if (row.holdReason() != null) {
      return row.holdReason() + (row.errorTitle() == null ? "" : ": " + row.errorTitle());
    }
    boolean waits =
        row.state().equals("ready") && row.retryAfter() != null && row.retryAfter().isAfter(now);
    if (waits && waitsFor != null) {
      return "waiting for "
          + waitsFor.replaceFirst(" \\(.*", "")
          + ", due "
          + PlainText.relative(row.retryAfter(), now);
    }
    if (waits) {
      String error = row.errorCategory() == null ? "" : row.errorCategory() + ", ";
      return error
          + "due "
          + PlainText.relative(row.retryAfter(), now)
          + (row.errorTitle() == null ? "" : ": " + row.errorTitle());
    }
    return row.workerId() == null ? "" : row.workerId();
  }
}
