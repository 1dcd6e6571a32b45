package dev.holdfast.cli.batch;

import dev.holdfast.batch.Batch;
import dev.holdfast.batch.BatchDesk;
import dev.holdfast.cli.output.Words;
import dev.holdfast.cli.root.GroupCommand;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.ProgressCommand;
import dev.holdfast.cli.root.RowsCommand;
import dev.holdfast.cli.root.UsageHelp;
import java.time.temporal.ChronoUnit;
import java.util.List;
import picocli.CommandLine;

/** {@code holdfast batch}: show, list, hold and cancel. */
public final class BatchCommand {
  private BatchCommand() {}

  /** Makes the command with its subcommands. */
  public static CommandLine with(HoldfastCommand root) {
    return new GroupCommand()
        .with("show", show(root))
        .with("list", list(root))
        .with(
            "hold",
            BatchChange.of(
                root, "held", "Put its tickets on hold that wait or run.", BatchDesk::hold))
        .with(
            "cancel",
            BatchChange.of(
                root,
                "cancelled",
                "Cancel its tickets that are not done. Tickets that wait for the batch go on hold.",
                BatchDesk::cancel))
        .line(
            "Tickets that came together, as with enqueue --file: how far they are.",
            "holdfast batch show 7 -w",
            "holdfast batch cancel 7 --reason 'the wrong file'",
            "holdfast release --batch 7        sends its held tickets back to work");
  }

  static long id(String text) {
    return Words.id(text, "batch", "holdfast batch list");
  }

  private static CommandLine show(HoldfastCommand root) {
    return UsageHelp.of(
        ProgressCommand.of(
            root,
            new ProgressCommand.Subject<>(
                "batch",
                (backend, id) -> backend.batches().find(id),
                batch -> batch.endedAt() != null,
                Batch::progress,
                BatchCommand::page)),
        "Show how far a batch is.",
        "holdfast batch show 7",
        "holdfast batch show 7 -w --json");
  }

  private static List<String> page(Batch batch) {
    return List.of(
        "batch %s%s, by %s at %s"
            .formatted(
                batch.id(),
                batch.title() == null ? "" : " \"" + batch.title() + "\"",
                batch.createdBy(),
                batch.createdAt().truncatedTo(ChronoUnit.SECONDS)),
        batch.progress(),
        "ready %s, in progress %s, on hold %s, in review %s, done %s, cancelled %s"
            .formatted(
                batch.ready(),
                batch.inProgress(),
                batch.onHold(),
                batch.needsReview(),
                batch.done(),
                batch.cancelled()));
  }

  private static CommandLine list(HoldfastCommand root) {
    return RowsCommand.<Batch>newest(root, (backend, limit) -> backend.batches().list(limit, null))
        .column("ID", Batch::id)
        .column("TITLE", each -> each.title() == null ? "-" : each.title())
        .column("CREATED", each -> each.createdAt().truncatedTo(ChronoUnit.SECONDS))
        .column("BY", Batch::createdBy)
        .column("PROGRESS", Batch::progress)
        .line(
            "no batches; holdfast enqueue --file TICKETS.jsonl makes one",
            "List batches, the newest first.",
            "holdfast batch list --limit 5");
  }
}
