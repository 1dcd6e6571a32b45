package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Progress;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.queue.DesignStore;
import dev.holdfast.queue.takeover.ImportLine;
import dev.holdfast.queue.takeover.ImportLine.Outcome;
import dev.holdfast.queue.takeover.ImportOrder;
import dev.holdfast.queue.takeover.SourceDesign;
import dev.holdfast.queue.takeover.SourceTable;
import dev.holdfast.queue.takeover.TicketImport;
import dev.holdfast.ticket.Design;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Takes over a source's tickets for {@code migrate --from}, or says what that would do. */
record TicketImportRun(
    Terminal terminal,
    SourceTable source,
    List<SourceDesign> designs,
    List<ImportDesigns.Fate> fates) {
  private static final int IDS_SHOWN = 20;

  TicketImportRun {
    designs = List.copyOf(designs);
    fates = List.copyOf(fates);
  }

  int preview(TicketImport imports, ImportOrder.Running running) {
    Progress progress = new Progress(terminal, "looked at");
    List<ImportLine> lines =
        imports.preview(
            new ImportOrder(source, choices(null, ""), running),
            rows -> progress.step(rows, tickets()));
    progress.end();
    print(lines);
    terminal.line(
        "dry run, nothing is written; without --dry-run %s of %s tickets are taken over"
            .formatted(taken(lines), total(lines)));
    return isWhole(lines);
  }

  int take(TicketImport imports, DesignStore store, ImportOrder.Running running, String actor) {
    Progress progress = new Progress(terminal, "took over");
    List<ImportLine> lines =
        imports.take(
            new ImportOrder(source, choices(store, actor), running),
            actor,
            rows -> progress.step(rows, tickets()));
    progress.end();
    print(lines);
    terminal.line(
        "took over %s of %s tickets of %s".formatted(taken(lines), total(lines), source.name()));
    return isWhole(lines);
  }

  private long tickets() {
    return designs.stream().mapToLong(SourceDesign::tickets).sum();
  }

  private static int isWhole(List<ImportLine> lines) {
    return lines.stream().anyMatch(line -> line.outcome().isLeft())
        ? ExitCode.FAILED
        : ExitCode.DONE;
  }

  /**
   * @param store where designs are stored; null to store none
   */
  private List<ImportOrder.Choice> choices(@Nullable DesignStore store, String actor) {
    List<ImportOrder.Choice> choices = new ArrayList<>();
    for (int i = 0; i < designs.size(); i++) {
      String key = designs.get(i).key();
      switch (fates.get(i)) {
        case ImportDesigns.Fate.Ours each ->
            choices.add(new ImportOrder.Choice(key, each.design().kind(), each.design().id()));
        case ImportDesigns.Fate.OnlyKind each ->
            choices.add(new ImportOrder.Choice(key, each.kind(), null));
        case ImportDesigns.Fate.ToStore each -> {
          Design stored =
              store == null
                  ? null
                  : store.put(each.name(), each.design().kind(), each.design().definition(), actor);
          choices.add(
              new ImportOrder.Choice(
                  key, each.design().kind(), stored == null ? null : stored.id()));
        }
        case ImportDesigns.Fate.Unknown each -> {
          // Its tickets are not imported.
        }
      }
    }
    return choices;
  }

  private void print(List<ImportLine> lines) {
    TextTable ofDesigns = new TextTable("DESIGN", "TICKETS", "BECOMES");
    for (int i = 0; i < designs.size(); i++) {
      ofDesigns.row(designs.get(i).label(), designs.get(i).tickets(), words(fates.get(i)));
    }
    ofDesigns.print(terminal);
    terminal.line("");
    TextTable table = new TextTable("STATE", "DESIGN", "TICKETS", "BECOMES", "KIND");
    for (ImportLine line : lines) {
      table.row(
          line.state(),
          label(line.designKey()),
          line.sourceIds().size(),
          line.outcome().isLeft() ? "left" : becomes(line),
          line.kind());
    }
    table.print(terminal);
    terminal.line("");
    leftIds(lines).forEach((outcome, ids) -> terminal.line(words(outcome) + ": " + shown(ids)));
  }

  private static String becomes(ImportLine line) {
    return line.outcome() == Outcome.TAKEN_BEFORE
        ? "taken before"
        : Objects.requireNonNullElse(line.newState(), "");
  }

  private static Map<Outcome, List<String>> leftIds(List<ImportLine> lines) {
    Map<Outcome, List<String>> left = new LinkedHashMap<>();
    for (ImportLine line : lines) {
      if (line.outcome().isLeft()) {
        left.computeIfAbsent(line.outcome(), key -> new ArrayList<>()).addAll(line.sourceIds());
      }
    }
    return left;
  }

  private static String shown(List<String> ids) {
    String some = String.join(", ", ids.subList(0, Math.min(ids.size(), IDS_SHOWN)));
    int more = ids.size() - IDS_SHOWN;
    return more > 0 ? some + " and " + more + " more" : some;
  }

  private String label(String key) {
    return designs.stream()
        .filter(each -> each.key().equals(key))
        .map(SourceDesign::label)
        .findFirst()
        .orElse(key);
  }

  private static String words(ImportDesigns.Fate fate) {
    return switch (fate) {
      case ImportDesigns.Fate.Ours each ->
          "design " + each.design().name() + ", kind " + each.design().kind();
      case ImportDesigns.Fate.ToStore each ->
          "design " + each.name() + ", kind " + each.design().kind() + ", new here";
      case ImportDesigns.Fate.OnlyKind each -> "kind " + each.kind() + ", no design";
      case ImportDesigns.Fate.Unknown each -> "not known: " + each.why();
    };
  }

  private static String words(Outcome outcome) {
    return switch (outcome) {
      case LEFT_RUNNING ->
          "left, in progress: stop the old workers and run this again, or with --in-progress ready";
      case SAME_ID ->
          "left, several rows have this id: give each its own there, or name a view that has each"
              + " id once";
      case BAD_COUNT -> "left, retry_count or rejection_count is no count: correct them there";
      case BAD_QUEUE ->
          "left, their queue cannot have its name here: 1 to 63 letters, digits and . _ : -, the"
              + " first a letter or digit; correct it there, or in a view, and name the view";
      case BAD_STRATEGY ->
          "left, retry_strategy is no retry policy: correct it there, or make a view that casts it"
              + " to jsonb or leaves it out, and name the view";
      case BAD_TIME ->
          "left, created_at, updated_at, started_at, completed_at or retry_after is infinity:"
              + " correct them there";
      case BAD_PAYLOAD ->
          "left, their payload is longer as text than payload.max-expanded-bytes or has more than"
              + " 500 levels: put what is large elsewhere, or make a view that does, and name the"
              + " view";
      case NO_DESIGN ->
          "left, their design is not known here: say what it becomes with --design THEIRS=OURS or"
              + " --map-kind THEIRS=KIND";
      case NO_ID -> "left, without an id: give them one there";
      case TAKEN, TAKEN_BEFORE -> "";
    };
  }

  private static long taken(List<ImportLine> lines) {
    return lines.stream()
        .filter(line -> line.outcome() == Outcome.TAKEN)
        .mapToLong(line -> line.sourceIds().size())
        .sum();
  }

  private static long total(List<ImportLine> lines) {
    return lines.stream().mapToLong(line -> line.sourceIds().size()).sum();
  }
}
