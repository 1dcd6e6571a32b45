package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.read.AutoRetrySwitch;
import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.schema.Question;
import dev.holdfast.session.journal.JournalReader;
import dev.holdfast.ticket.Answer;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.NotFoundException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast show}. */
@Command(
    name = "show",
    description =
        "Show a ticket with its attempts, its guidance, everything that happened to it, and the"
            + " transcript of an agent's session.",
    footer = {
      "",
      "Examples:",
      "  holdfast show 17",
      "  holdfast show 17 --json | jq .result",
      "  holdfast show 17 --tree",
      "  holdfast show 17 --transcript > session.jsonl"
    })
public final class ShowCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", description = "The ticket.")
  private String id = "";

  @Option(
      names = "--json",
      description =
          "Print one JSON object: the row, and attempts, guidance, question, tool_calls, timeline,"
              + " transcript, auto_retry and wait.")
  private boolean json;

  @Option(
      names = "--transcript",
      description =
          "Print nothing but the whole transcript: a JSON object on a line for each finished step.")
  private boolean transcript;

  @Option(
      names = "--tree",
      description = "Print its steps and what its jobs have added, with their states, as a tree.")
  private boolean tree;

  public ShowCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    long number = Words.id(id);
    try (Backend backend = root.open()) {
      TicketReader reader = backend.reader();
      TicketRow ticket = existing(reader, number);
      if (tree) {
        printTree(new TicketTree(reader, ticket));
      } else if (transcript) {
        backend.journals().each(number, row -> root.terminal().line(JsonOutput.of(row)));
      } else if (json) {
        printJson(reader, ticket, backend.journals());
      } else {
        print(reader, ticket, backend);
      }
      return ExitCode.DONE;
    }
  }

  static TicketRow existing(TicketReader reader, long number) {
    return reader
        .find(number)
        .orElseThrow(
            () ->
                new NotFoundException(
                    "there is no ticket " + number + "; holdfast list shows the tickets"));
  }

  private void printTree(TicketTree steps) {
    if (json) {
      root.terminal().line(steps.json());
    } else {
      steps.print(root.terminal());
    }
  }

  private void printJson(TicketReader reader, TicketRow ticket, JournalReader journals) {
    long number = ticket.id();
    Map<String, @Nullable Object> object = JsonOutput.columns(ticket);
    object.put("steps", reader.steps(number));
    object.put("attempts", reader.attempts(number));
    object.put("guidance", reader.guidance(number).stream().map(ShowCommand::columns).toList());
    object.put("question", JsonOutput.embedded(reader.question(number).orElse(null)));
    object.put("tool_calls", reader.toolCalls(number));
    object.put("timeline", reader.timeline(number));
    object.put("transcript", journals.rows(number));
    object.put("auto_retry", reader.autoRetry(number).map(AutoRetrySwitch::enabled).orElse(null));
    object.put("waits_for", reader.predecessors(number).orElse(null));
    object.put("wait", reader.currentWait(number).map(ShowCommand::columns).orElse(null));
    root.terminal().line(JsonOutput.of(object));
  }

  private void print(TicketReader reader, TicketRow ticket, Backend backend) {
    long number = ticket.id();
    Instant now = reader.now();
    new TicketPrinter(root.terminal(), now)
        .print(
            ticket,
            backend.designs().newerFor(ticket),
            waits(ticket, reader, now),
            reader.autoRetry(number),
            reader.attempts(number),
            reader.guidance(number),
            reader.timeline(number));
    reader
        .question(number)
        .map(Question::parse)
        .ifPresent(each -> new QuestionPage(root.terminal()).print(number, each));
    new ToolCallPage(root.terminal()).print(number, reader.toolCalls(number));
    new TranscriptPage(root.terminal()).print(backend.journals(), number);
  }

  /** Returns the wait of the ticket; without one, the worker that is missing. */
  private static Optional<String> waits(TicketRow ticket, TicketReader reader, Instant now) {
    return reader
        .predecessors(ticket.id())
        .map(
            words ->
                words.startsWith("#") ? "until other tickets are done: " + words : "for " + words)
        .or(() -> reader.currentWait(ticket.id()).map(WaitWords::of))
        .or(
            () ->
                reader
                    .liveWorkers()
                    .missingFor(ticket, now)
                    .map(each -> each + "; start one, or check both names"));
  }

  private static Map<String, @Nullable Object> columns(CurrentWait wait) {
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    columns.put("kind", wait.kind().name().toLowerCase(Locale.ROOT));
    columns.put("until", wait.until());
    columns.put("left_ms", wait.left().toMillis());
    columns.put("reason", wait.reason());
    columns.put("attempt", wait.attempt());
    columns.put("max_attempts", wait.maxAttempts());
    return columns;
  }

  /** Returns the guidance by the columns of ticket_guidance. */
  private static Map<String, @Nullable Object> columns(Guidance guidance) {
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    columns.put("guidance", guidance.text());
    columns.put("author", guidance.author());
    columns.put("source", guidance.source());
    columns.put("created_at", guidance.givenAt());
    Answer answer = guidance.answer();
    if (answer != null) {
      columns.put("question", answer.question());
      columns.put("answer", JsonOutput.embedded(answer.value()));
    }
    return columns;
  }
}
