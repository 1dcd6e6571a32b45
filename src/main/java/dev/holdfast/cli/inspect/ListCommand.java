package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.ListForm;
import dev.holdfast.cli.root.ListForm.Form;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code holdfast list}. */
@Command(
    name = "list",
    description = "List tickets, the newest first; with --ready, what is claimed next.",
    footer = {
      "",
      "Examples:",
      "  holdfast list --ready",
      "  holdfast list --state on_hold,needs_review -w",
      "  holdfast list --state on_hold --limit 10000 -o name | xargs holdfast release",
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
      description =
          "ready, in_progress, needs_review, on_hold, done or cancelled; several with commas.")
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
      names = "--batch",
      paramLabel = "ID",
      description = "Only tickets that came with this batch.")
  private @Nullable String batch;

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

  @Mixin private final ListForm listForm = new ListForm();

  @Option(
      names = {"-w", "--watch"},
      description = "List again whenever something changes, until Ctrl-C.")
  private boolean watch;

  public ListCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() throws InterruptedException {
    Form form = listForm.form();
    Duration age = since == null ? null : Words.duration("--since", since);
    List<TicketState> states = states();
    if (ready
        && Stream.of(state, category, fingerprint, kind, text, since, design, batch)
            .anyMatch(Objects::nonNull)) {
      throw new UsageException("--ready goes with --queue and --limit only; leave the others out");
    }
    if (watch && form == Form.JSON) {
      throw new UsageException("-w is for people; holdfast watch --json tells what happens");
    }
    int count = Words.limit(limit != null ? limit : ready ? NEXT : LISTED);
    try (Backend backend = root.open()) {
      TicketReader reader = backend.reader();
      TicketFilter filter = filter(age == null ? null : reader.now().minus(age), count);
      if (watch) {
        new ListWatch(root)
            .follow(
                () -> rows(reader, filter, states),
                rows -> print(reader, form, first(rows, count)));
      } else if (form == Form.JSON && !ready) {
        List<TicketRow> rows = each(states, filter, reader::list, TicketRow::id);
        root.terminal().line(JsonOutput.of(first(rows, count)));
        tellOfMore(rows, count);
      } else {
        List<TicketSummary> rows = rows(reader, filter, states);
        print(reader, form, first(rows, count));
        tellOfMore(rows, count);
      }
      return ExitCode.DONE;
    }
  }

  /** Returns the filter for one ticket more than is shown, to know whether there are more. */
  private TicketFilter filter(@Nullable Instant from, int count) {
    return new TicketFilter(
        null,
        Words.filter("--queue", queue),
        Words.filter("--kind", kind),
        Words.filter("--design", design),
        category == null ? null : Words.category(category).wireName(),
        TicketFilter.fingerprint(fingerprint),
        Words.filter("--text", text),
        from,
        null,
        null,
        batch == null ? null : Words.id(batch, "batch", "holdfast batch list"),
        null,
        Math.min(count, Integer.MAX_VALUE - 1) + 1);
  }

  private static <T> List<T> first(List<T> rows, int count) {
    return rows.subList(0, Math.min(count, rows.size()));
  }

  /**
   * Says that there are more. A person who passes the ids to another command must not take the
   * first page for all of them.
   */
  private void tellOfMore(List<?> rows, int count) {
    if (rows.size() > count) {
      root.terminal().progress("there are more than these " + count + "; --limit N lists more");
    }
  }

  private List<TicketSummary> rows(
      TicketReader reader, TicketFilter filter, List<TicketState> states) {
    return ready
        ? reader.getReadyTickets(filter.queue(), filter.limit())
        : each(states, filter, reader::summaries, TicketSummary::id);
  }

  /**
   * Returns the newest of all the states, each of which has an index of its own. If a ticket
   * changes its state between two reads, the last one counts.
   */
  static <T> List<T> each(
      List<TicketState> states,
      TicketFilter filter,
      Function<TicketFilter, List<T>> read,
      ToLongFunction<T> id) {
    if (states.isEmpty()) {
      return read.apply(filter);
    }
    SortedMap<Long, T> newestFirst = new TreeMap<>(Comparator.reverseOrder());
    for (TicketState each : states) {
      read.apply(filter.withState(each)).forEach(row -> newestFirst.put(id.applyAsLong(row), row));
    }
    return newestFirst.values().stream().limit(filter.limit()).toList();
  }

  private List<TicketState> states() {
    return state == null
        ? List.of()
        : Stream.of(state.split(",", -1))
            .map(each -> Words.state(each.strip()))
            .distinct()
            .toList();
  }

  private void print(TicketReader reader, Form form, List<TicketSummary> rows) {
    switch (form) {
      case JSON -> root.terminal().line(JsonOutput.of(rows));
      case NAME -> rows.forEach(row -> root.terminal().line("" + row.id()));
      case TABLE, WIDE -> {
        if (rows.isEmpty()) {
          root.terminal().progress("no such tickets");
        } else if (form == Form.WIDE) {
          new TicketTable(root, reader).printWide(rows);
        } else {
          new TicketTable(root, reader).print(rows);
        }
      }
    }
  }
}
