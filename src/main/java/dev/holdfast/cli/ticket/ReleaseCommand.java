package dev.holdfast.cli.ticket;

import dev.holdfast.batch.NewRelease;
import dev.holdfast.batch.Release;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.ByOption;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.failure.Category;
import dev.holdfast.queue.CallDecision;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketDesk.Conversation;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.queue.read.HeldTickets;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import java.util.Iterator;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast release}. */
@Command(
    name = "release",
    description = "Send held tickets back to work, with your guidance for the next attempt.",
    footer = {
      "",
      "Examples:",
      "  holdfast release 17 --guidance 'the file is in /data now'",
      "  holdfast release --fingerprint 3f2a9c1b --guidance @advice.md",
      "  holdfast release --category api_error --keep-retries --by ann",
      "",
      "Of many tickets a few first, and more when those came through:",
      "  holdfast release --fingerprint 3f2a9c1b --canary 3 --ramp 10,50,all",
      "  holdfast release show 4 -w",
      "",
      "A ticket held for approval has tool calls that wait; holdfast show prints them:",
      "  holdfast release 17 --approve-call",
      "  holdfast release 17 --approve-call --call 4 --arguments '{\"command\": \"make test\"}'",
      "  holdfast release 17 --approve-call --remember",
      "  holdfast release 17 --deny-call --guidance 'not on this host'"
    })
public final class ReleaseCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Parameters(paramLabel = "ID", arity = "0..*", description = "The tickets.")
  private List<String> ids = List.of();

  @Option(
      names = "--fingerprint",
      paramLabel = "F",
      description =
          "All held tickets with this error; holdfast stats shows the fingerprints, of which 8"
              + " characters are enough.")
  private @Nullable String fingerprint;

  @Option(
      names = "--category",
      paramLabel = "C",
      description = "All held tickets with errors of this category.")
  private @Nullable String category;

  @Option(names = "--batch", paramLabel = "ID", description = "All held tickets of this batch.")
  private @Nullable Long batch;

  @Mixin private final ReleaseStepOptions steps = new ReleaseStepOptions();

  @Option(
      names = "--guidance",
      paramLabel = "TEXT|@FILE",
      description = "What the next attempts are told; @- reads standard input.")
  private @Nullable String guidance;

  @Option(names = "--keep-retries", description = "Do not start counting retries anew.")
  private boolean keepRetries;

  @Option(
      names = "--fresh",
      description =
          "Start the agent's session anew instead of resuming it. A ticket without a session has"
              + " nothing to forget.")
  private boolean fresh;

  @Mixin private final CallOptions call = new CallOptions();

  @Mixin private final ByOption by = new ByOption();

  @Option(names = "--json", description = "Print a JSON object with what was released and refused.")
  private boolean json;

  private ReleaseCommand(HoldfastCommand root) {
    this.root = root;
  }

  /** Makes the command, with its undo and the commands for releases in steps. */
  public static CommandLine with(HoldfastCommand root) {
    return new CommandLine(new ReleaseCommand(root))
        .addSubcommand("list", ReleasesInSteps.list(root))
        .addSubcommand("show", ReleasesInSteps.show(root))
        .addSubcommand("stop", new ReleaseStopCommand(root))
        .addSubcommand("undo", new ReleaseUndoCommand(root));
  }

  @Override
  public Integer call() {
    call.check();
    requireOneSelection();
    List<Long> numbers = ids.stream().map(Words::id).distinct().toList();
    Category chosenCategory = category == null ? null : Words.category(category);
    String words =
        guidance == null ? null : Words.textOrFile("--guidance", guidance, root.terminal().in());
    String actor = by.name(root);
    if (call.isGiven()) {
      return decide(numbers, words, actor);
    }
    Retries retries = keepRetries ? Retries.KEEP : Retries.RESET;
    Conversation conversation = fresh ? Conversation.START_OVER : Conversation.RESUME;
    try (Backend backend = root.open()) {
      if (steps.areGiven()) {
        NewRelease.Which which =
            new NewRelease.Which(
                ids.isEmpty() ? null : numbers, fingerprint, chosenCategory, batch);
        return start(
            backend,
            new NewRelease(which, steps.canary(), steps.ramp(), words, retries, conversation),
            actor);
      }
      Iterator<Long> chosen = chosen(backend, numbers, chosenCategory);
      if (!chosen.hasNext()) {
        throw new NotFoundException(
            "no held ticket matches; holdfast stats shows the groups of errors");
      }
      String release = UUID.randomUUID().toString();
      TicketDesk desk = backend.desk().releasingAs(release);
      return TicketAction.releasing(root.terminal(), json, release, () -> desk.releasedAs(release))
          .run(chosen, id -> desk.release(id, actor, words, retries, conversation));
    }
  }

  private Iterator<Long> chosen(
      Backend backend, List<Long> numbers, @Nullable Category chosenCategory) {
    if (!ids.isEmpty()) {
      return numbers.iterator();
    }
    String wanted = chosenCategory == null ? null : chosenCategory.wireName();
    return batch == null
        ? new HeldTickets(backend.reader(), wanted, fingerprint)
        : backend.batches().held(batch).iterator();
  }

  private int start(Backend backend, NewRelease wanted, String actor) {
    Release release = backend.releases().start(wanted, actor);
    root.terminal()
        .line(
            json
                ? JsonOutput.of(release)
                : PlainText.oneLine("release " + release.id() + ", " + release.progress()));
    if (!json) {
      root.terminal().progress("holdfast release show " + release.id() + " -w follows it");
    }
    return ExitCode.DONE;
  }

  private int decide(List<Long> numbers, @Nullable String words, String actor) {
    if (numbers.size() != 1 || fresh || keepRetries || steps.areGiven()) {
      throw new UsageException(
          "--approve-call and --deny-call take one ticket, without --fresh and --keep-retries");
    }
    CallDecision decision = call.decision(words, root.terminal().in());
    try (Backend backend = root.open()) {
      TicketState state = backend.desk().decideCall(numbers.getFirst(), actor, decision);
      long waiting =
          backend.reader().toolCalls(numbers.getFirst()).stream()
              .filter(ToolCallRow::waits)
              .count();
      call.report(root.terminal(), numbers.getFirst(), state, waiting, json);
      return ExitCode.DONE;
    }
  }

  private void requireOneSelection() {
    int selections =
        (ids.isEmpty() ? 0 : 1)
            + (fingerprint == null ? 0 : 1)
            + (category == null ? 0 : 1)
            + (batch == null ? 0 : 1);
    boolean bulk = ids.isEmpty() && (batch == null || steps.areGiven()) && selections > 0;
    if (selections != 1 && !bulk) {
      throw new UsageException(
          "which tickets? give ids, or --fingerprint F, or --category C, or --batch ID; holdfast"
              + " list --state on_hold shows them");
    }
  }
}
