package dev.holdfast.cli.ticket;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.FileProblem;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast enqueue}. */
@Command(
    name = "enqueue",
    description = "Add a ticket and print its id, or many from a file.",
    footer = {
      "",
      "Examples:",
      "  holdfast enqueue --design summarise --payload '{\"prompt\": \"Summarise report.pdf\"}'",
      "  holdfast enqueue --design sync --payload @job.json --delay 5m --key nightly-2026-11-30",
      "  holdfast enqueue --design sync --key customer-42 --unique open --on-duplicate replace"
          + " --delay 30s",
      "  holdfast enqueue --file tickets.jsonl",
      "  holdfast enqueue --design report --after-batch 7",
      "",
      "  holdfast enqueue --design report --after fetch=17,clean=18",
      "",
      "Each line of the file is a JSON object: design or kind, and title, payload, queue,"
          + " priority,",
      "delay or run_at, unique_key, unique_for, on_duplicate, max_cost_usd, expires,",
      "concurrency_key, fairness_key, after (ids), after_batch, on_cancelled. All are added, or",
      "none. A file of 10,000 lines at most may have name, and names of its lines in after, too."
    })
public final class EnqueueCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(
      names = "--design",
      paramLabel = "NAME",
      description = "How it is worked: the latest version of this design.")
  private @Nullable String design;

  @Option(
      names = "--kind",
      paramLabel = "KIND",
      description = "Which handler works it, for a ticket without a design.")
  private @Nullable String kind;

  @Option(
      names = "--title",
      paramLabel = "T",
      description = "A few words for people; with --file those of the batch.")
  private @Nullable String title;

  @Option(
      names = "--payload",
      paramLabel = "JSON|@FILE",
      description = "The task; @- reads standard input. Default {}.")
  private @Nullable String payload;

  @Option(names = "--queue", paramLabel = "Q", description = "Made on first use; default: default.")
  private @Nullable String queue;

  @Option(names = "--priority", paramLabel = "N", description = "Higher is sooner; default 0.")
  private @Nullable Integer priority;

  @Option(
      names = "--delay",
      paramLabel = "D",
      description = "Not before this long from now: 90s, 5m, 2h, 7d.")
  private @Nullable String delay;

  @Option(
      names = "--at",
      paramLabel = "TIME",
      description = "Not before this time: 2026-11-30T09:00:00Z.")
  private @Nullable String at;

  @Option(
      names = "--key",
      paramLabel = "K",
      description =
          "Unique key: if a ticket has it already, that one's id is printed and nothing is added.")
  private @Nullable String key;

  @Option(
      names = "--max-cost",
      paramLabel = "USD",
      description = "What its own model calls may cost; a workflow has none.")
  private @Nullable String maxCost;

  @Option(
      names = "--after",
      paramLabel = "[NAME=]ID",
      split = ",",
      description =
          "Not before these tickets are done: 17,18. It is given the results of those with a name:"
              + " fetch=17.")
  private @Nullable List<String> after;

  @Option(
      names = "--on-cancelled",
      paramLabel = "WHAT",
      description =
          "If a ticket of --after is cancelled: hold (the default), cancel this one too, or run"
              + " it.")
  private @Nullable String onCancelled;

  @Option(
      names = "--expires",
      paramLabel = "D|TIME",
      description = "Put on hold if no worker has started it until then: 2h, 2026-11-30T09:00:00Z.")
  private @Nullable String expires;

  @Option(
      names = "--concurrency-key",
      paramLabel = "K",
      description = "Limits count what runs with the same key: holdfast limit set --per-key.")
  private @Nullable String concurrencyKey;

  @Option(
      names = "--fairness-key",
      paramLabel = "K",
      description = "Tickets of equal priority are claimed in turns over these keys.")
  private @Nullable String fairnessKey;

  @Option(
      names = "--unique",
      paramLabel = "open|ever|D",
      description =
          "How long --key holds: until its ticket is done, for ever, or for a time. Default: as"
              + " long as its ticket is kept.")
  private @Nullable String unique;

  @Option(
      names = "--on-duplicate",
      paramLabel = "keep|replace|refuse",
      description =
          "What becomes of a second ticket with --key. replace: the first one, if it has not"
              + " started, gets payload and time of the second. Default keep.")
  private @Nullable String onDuplicate;

  @Option(
      names = "--after-batch",
      paramLabel = "ID",
      description = "Not before this batch has ended: all its tickets are done or cancelled.")
  private @Nullable Long afterBatch;

  @Option(
      names = "--file",
      paramLabel = "TICKETS.jsonl",
      description = "Add one ticket per line, as one batch; - is standard input.")
  private @Nullable String file;

  @Option(
      names = "--by",
      paramLabel = "WHO",
      description = "Whose batch it is, with --file; default: your user name.")
  private @Nullable String by;

  @Option(
      names = "--json",
      description =
          "Print {\"id\": N}, or {\"batch_id\": B, \"added\": N, \"read\": N} for a file; of a"
              + " graph also \"ids\" by name.")
  private boolean json;

  public EnqueueCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    if (file != null) {
      requireFileAlone();
      return enqueueFile(file);
    }
    NewTicket ticket = ticket();
    try (Backend backend = root.open()) {
      long id = backend.inbox().enqueue(ticket);
      say(json ? JsonOutput.of(Map.of("id", id)) : Long.toString(id));
      return ExitCode.DONE;
    }
  }

  /** Prints a line at once: a receiver of traces that is down holds up the end of the command. */
  private void say(String line) {
    root.terminal().line(line);
    root.terminal().out().flush();
  }

  private void requireFileAlone() {
    for (Object option :
        new @Nullable Object[] {
          design,
          kind,
          payload,
          queue,
          priority,
          delay,
          at,
          key,
          maxCost,
          after,
          onCancelled,
          expires,
          concurrencyKey,
          fairnessKey,
          unique,
          onDuplicate,
          afterBatch
        }) {
      if (option != null) {
        throw new UsageException(
            "--file goes alone or with --title; write design, kind, queue and the like into its"
                + " lines");
      }
    }
  }

  private NewTicket ticket() {
    if (delay != null && at != null) {
      throw new UsageException("--delay and --at exclude each other; give one");
    }
    NewTicket ticket = designOrKind();
    if (payload != null) {
      ticket = ticket.withPayload(Words.payload(payload, root.terminal().in()));
    }
    if (queue != null) {
      ticket = ticket.withQueue(queue);
    }
    return Predecessors.with(ticket, after, onCancelled)
        .withTitle(title)
        .withPriority(priority == null ? 0 : priority)
        .withDelay(delay == null ? null : Words.duration("--delay", delay))
        .withRunAt(at == null ? null : Words.time("--at", at))
        .withUniqueKey(key)
        .withMaxCostUsd(maxCost == null ? null : Words.money("--max-cost", maxCost))
        .withExpiry(expires == null ? null : TicketWords.expiry("--expires", expires))
        .withConcurrencyKey(concurrencyKey)
        .withFairnessKey(fairnessKey)
        .withUniqueness(TicketWords.uniqueness("--unique", unique, "--on-duplicate", onDuplicate))
        .withAfterBatch(afterBatch);
  }

  private NewTicket designOrKind() {
    if (design != null && kind == null) {
      return NewTicket.ofDesign(design);
    }
    if (kind != null && design == null) {
      return NewTicket.ofKind(kind);
    }
    throw new UsageException(
        "give either --design NAME or --kind KIND (or --file TICKETS.jsonl); holdfast design list"
            + " shows the designs");
  }

  private int enqueueFile(String name) {
    try (InputStream bytes =
            name.equals("-") ? root.terminal().in() : Files.newInputStream(Path.of(name));
        BufferedReader lines = new BufferedReader(new InputStreamReader(bytes, TicketLines.BYTES));
        Backend backend = root.open()) {
      long size = name.equals("-") ? 0 : Files.size(Path.of(name));
      TicketLines read = new TicketLines(lines, size, root.terminal());
      TicketFile tickets = TicketFile.read(read);
      if (tickets.isGraph()) {
        report(tickets, backend.inbox().enqueueGraphAsBatch(tickets.graph(), actor(), title));
      } else {
        TicketInbox.Batched batch = backend.inbox().enqueueBatch(tickets.all(), actor(), title);
        read.end();
        report(batch, tickets.count());
      }
      return ExitCode.DONE;
    } catch (IOException | UncheckedIOException | java.nio.file.InvalidPathException e) {
      throw new UsageException(
          ("--file: cannot read \"%s\": %s; name a file of one JSON object per line, or -"
                  + " for standard input")
              .formatted(name, FileProblem.of(name, e)),
          e);
    }
  }

  private String actor() {
    return by == null ? root.person() : by;
  }

  private void report(TicketFile graph, TicketInbox.BatchedGraph batch) {
    List<Long> ids = batch.ids();
    Map<String, Long> named = new LinkedHashMap<>();
    for (int i = 0; i < ids.size(); i++) {
      named.put(graph.called(i), ids.get(i));
    }
    if (json) {
      say(
          JsonOutput.of(
              Map.of(
                  "batch_id",
                  batch.batchId(),
                  "added",
                  batch.added(),
                  "read",
                  ids.size(),
                  "ids",
                  named)));
      return;
    }
    say("added " + batch.added() + " as batch " + batch.batchId());
    named.forEach((name, id) -> say(name + ": " + id));
  }

  private void report(TicketInbox.Batched batch, long read) {
    long added = batch.added();
    if (json) {
      say(JsonOutput.of(Map.of("batch_id", batch.batchId(), "added", added, "read", read)));
      return;
    }
    long existed = read - added;
    say(
        "added %s as batch %s%s"
            .formatted(
                added,
                batch.batchId(),
                existed == 0 ? "" : "; " + existed + " had a unique_key that exists already"));
  }
}
