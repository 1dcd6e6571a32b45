package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Progress;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.takeover.ImportOrder;
import dev.holdfast.queue.takeover.SourceDesign;
import dev.holdfast.queue.takeover.SourceTable;
import dev.holdfast.queue.takeover.TicketImport;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.InvalidInputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast migrate}. */
@Command(
    name = "migrate",
    description = {
      "Create or update the database schema. Harmless when repeated, and beside running workers.",
      "With --from, take over the tickets of another table of the database; that is only read, and"
          + " each row is taken once."
    },
    footer = {
      "",
      "Examples:",
      "  HOLDFAST_DATABASE_URL=postgres://ann:secret@db/work holdfast migrate",
      "  holdfast migrate --from public.tickets --dry-run",
      "  holdfast migrate --from public.tickets --design review=reviewer --map-kind -=mail"
    })
public final class MigrateCommand implements Callable<Integer> {
  private final HoldfastCommand root;

  @Option(
      names = "--from",
      paramLabel = "SCHEMA.TABLE",
      description = "Take over the tickets of this table or view.")
  private @Nullable String from;

  @Option(
      names = "--dry-run",
      description =
          "With --from: only tell what would be taken over, and what not. Writes nothing.")
  private boolean dryRun;

  @Option(
      names = "--design",
      paramLabel = "THEIRS=OURS",
      description =
          "With --from: tickets of their design get the latest version of ours; - stands for"
              + " tickets without a design.")
  private Map<String, String> design = new LinkedHashMap<>();

  @Option(
      names = "--map-kind",
      paramLabel = "THEIRS=KIND",
      description = "With --from: tickets of their design get this kind and no design.")
  private Map<String, String> kind = new LinkedHashMap<>();

  @Option(
      names = "--in-progress",
      paramLabel = "leave|ready",
      defaultValue = "leave",
      description =
          "With --from: what becomes of tickets in progress. ready only if no old worker runs any"
              + " more. Default: ${DEFAULT-VALUE}.")
  private String inProgress = "leave";

  @Option(
      names = "--by",
      paramLabel = "WHO",
      description = "With --from: who decides this; default: your user name.")
  private @Nullable String by;

  public MigrateCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    SourceTable source = source();
    ImportOrder.Running running = running();
    try (Backend backend = root.open()) {
      if (!dryRun) {
        migrate(backend);
      }
      return source == null ? ExitCode.DONE : takeOver(backend, source, running);
    }
  }

  private @Nullable SourceTable source() {
    if (from == null) {
      if (dryRun || !design.isEmpty() || !kind.isEmpty()) {
        throw new UsageException(
            "--dry-run, --design and --map-kind say how tickets are taken over: name their table"
                + " with --from SCHEMA.TABLE");
      }
      return null;
    }
    try {
      return SourceTable.parse(from);
    } catch (InvalidInputException e) {
      throw new UsageException("--from: " + e.getMessage(), e);
    }
  }

  private ImportOrder.Running running() {
    return switch (inProgress) {
      case "leave" -> ImportOrder.Running.LEAVE;
      case "ready" -> ImportOrder.Running.READY;
      default ->
          throw new UsageException(
              "--in-progress: \""
                  + PlainText.cut(inProgress, 40)
                  + "\" is neither leave nor ready");
    };
  }

  private void migrate(Backend backend) {
    Progress progress = new Progress(root.terminal(), "ran migrations:");
    Backend.Migrated migrated = backend.migrate(progress::stepOf);
    progress.end();
    root.terminal()
        .line(
            migrated.applied() == 0
                ? "the schema is up to date at version " + migrated.version()
                : "ran %s migrations; the schema is at version %s"
                    .formatted(migrated.applied(), migrated.version()));
    CheckResult encoding = ServerChecks.encoding(backend.checkup().server().encoding());
    if (encoding.status() != CheckResult.Status.OK) {
      root.terminal().progress(encoding.line());
    }
  }

  private int takeOver(Backend backend, SourceTable source, ImportOrder.Running running) {
    TicketImport imports = backend.imports();
    List<SourceDesign> designs = imports.designs(source);
    TicketImportRun run =
        new TicketImportRun(
            root.terminal(),
            source,
            designs,
            new ImportDesigns(stored(backend), design, kind).fates(designs));
    return dryRun
        ? run.preview(imports, running)
        : run.take(imports, backend.designs(), running, by == null ? root.person() : by);
  }

  /**
   * Returns the stored designs. A dry run may come before the schema, and then there are no
   * designs.
   */
  private static Function<String, Optional<Design>> stored(Backend backend) {
    return backend.imports().isSchemaThere() ? backend.designs()::find : name -> Optional.empty();
  }
}
