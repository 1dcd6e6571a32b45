package dev.holdfast.cli.ticket;

import dev.holdfast.batch.Release;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.cli.root.ProgressCommand;
import dev.holdfast.cli.root.RowsCommand;
import dev.holdfast.cli.root.UsageHelp;
import dev.holdfast.ticket.NotFoundException;
import java.time.temporal.ChronoUnit;
import java.util.List;
import picocli.CommandLine;

/** The commands {@code list} and {@code show} of {@code holdfast release}. */
final class ReleasesInSteps {
  private ReleasesInSteps() {}

  static CommandLine show(HoldfastCommand root) {
    return UsageHelp.of(
        ProgressCommand.of(
            root,
            new ProgressCommand.Subject<>(
                "release",
                ReleasesInSteps::find,
                release -> !release.isRunning(),
                Release::progress,
                ReleasesInSteps::page)),
        "Show how far a release in steps is.",
        "holdfast release show 4",
        "holdfast release show 4 -w");
  }

  private static Release find(Backend backend, long id) {
    return backend
        .releases()
        .find(id)
        .orElseThrow(
            () ->
                new NotFoundException(
                    "there is no release " + id + "; holdfast release list shows them"));
  }

  private static List<String> page(Release release) {
    return List.of(
        "release %s of %s, by %s at %s, steps %s"
            .formatted(
                release.id(),
                release.selectionWords(),
                release.createdBy(),
                release.createdAt().truncatedTo(ChronoUnit.SECONDS),
                release.stepWords()),
        release.progress());
  }

  static CommandLine list(HoldfastCommand root) {
    return RowsCommand.<Release>newest(
            root, (backend, limit) -> backend.releases().list(limit, null))
        .column("ID", Release::id)
        .column("OF", Release::selectionWords)
        .column("STARTED", each -> each.createdAt().truncatedTo(ChronoUnit.SECONDS))
        .column("BY", Release::createdBy)
        .column("STEPS", Release::stepWords)
        .column("PROGRESS", Release::progress)
        .line(
            "no releases in steps; holdfast release --fingerprint F --canary 3 starts one",
            "List releases in steps, the newest first.",
            "holdfast release list");
  }
}
