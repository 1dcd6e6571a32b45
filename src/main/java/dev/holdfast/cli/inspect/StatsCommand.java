package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.read.DesignHealth;
import dev.holdfast.queue.read.ErrorGroup;
import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.WorkerRow;
import dev.holdfast.retry.DurationText;
import java.math.RoundingMode;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code holdfast stats}. */
@Command(
    name = "stats",
    description =
        "Show the queues with what they wait for, the workers, the designs with what became of"
            + " their tickets, and the held tickets by error.",
    footer = {"", "Example:", "  holdfast stats --json | jq '.queues[] | select(.on_hold > 0)'"})
public final class StatsCommand implements Callable<Integer> {
  private static final int GROUPS = 20;

  private final HoldfastCommand root;

  @Option(
      names = "--json",
      description = "Print one JSON object: queues, workers, designs, error_groups.")
  private boolean json;

  public StatsCommand(HoldfastCommand root) {
    this.root = root;
  }

  @Override
  public Integer call() {
    try (Backend backend = root.open()) {
      TicketReader reader = backend.reader();
      if (json) {
        Map<String, @Nullable Object> stats = new LinkedHashMap<>();
        stats.put("queues", reader.queues());
        stats.put("workers", reader.workers());
        stats.put("designs", reader.designs(GROUPS));
        stats.put("error_groups", reader.errorGroups(GROUPS));
        root.terminal().line(JsonOutput.of(stats));
      } else {
        print(reader);
      }
      return ExitCode.DONE;
    }
  }

  private void print(TicketReader reader) {
    Terminal terminal = root.terminal();
    Instant now = reader.now();
    queues(reader.queues(), now).print(terminal);
    terminal.line("");
    workers(reader.workers(), now).print(terminal);
    List<DesignHealth> designs = reader.designs(GROUPS);
    if (!designs.isEmpty()) {
      terminal.line("");
      designs(designs).print(terminal);
    }
    List<ErrorGroup> groups = reader.errorGroups(GROUPS);
    if (!groups.isEmpty()) {
      terminal.line("");
      errors(groups, now).print(terminal);
    }
    if (groups.stream().anyMatch(each -> each.errorFingerprint() != null)) {
      terminal.line("");
      terminal.line("holdfast release --fingerprint F --guidance TEXT sends a group back to work");
    }
  }

  private static TextTable queues(List<QueueHealth> queues, Instant now) {
    TextTable table =
        new TextTable(
            "QUEUE",
            "READY",
            "OLDEST",
            "RETRYING",
            "SCHEDULED",
            "PROVIDER",
            "RUNNING",
            "ON HOLD",
            "PAUSED");
    for (QueueHealth each : queues) {
      table.row(
          each.queue(),
          each.ready(),
          DurationText.ago(each.oldestReadyAt(), now),
          each.retrying(),
          each.scheduled(),
          each.waitingForProvider(),
          each.inProgress(),
          each.onHold(),
          each.paused() ? "by " + each.pausedBy() : "");
    }
    return table;
  }

  private static TextTable workers(List<WorkerRow> workers, Instant now) {
    TextTable table = new TextTable("WORKER", "STATE", "HEARTBEAT", "SLOTS", "KINDS", "QUEUES");
    for (WorkerRow each : workers) {
      table.row(
          each.id(),
          each.state(),
          DurationText.ago(each.heartbeatAt(), now),
          each.concurrency(),
          String.join(",", each.kinds()),
          each.queues() == null ? "all" : String.join(",", each.queues()));
    }
    return table;
  }

  private static TextTable designs(List<DesignHealth> designs) {
    TextTable table =
        new TextTable("DESIGN", "VERSION", "TICKETS", "SUCCEEDED", "HELD", "RATE", "COST 7D");
    for (DesignHealth each : designs) {
      table.row(
          each.name(),
          "v" + each.version(),
          each.tickets(),
          each.succeeded(),
          each.held(),
          each.successRate(),
          each.costUsd() == null ? "" : "$" + each.costUsd().setScale(2, RoundingMode.HALF_UP));
    }
    return table;
  }

  private static TextTable errors(List<ErrorGroup> groups, Instant now) {
    TextTable table = new TextTable("FINGERPRINT", "CATEGORY", "HELD", "OLDEST", "ERROR");
    for (ErrorGroup each : groups) {
      table.row(
          each.errorFingerprint(),
          each.errorCategory(),
          each.tickets(),
          DurationText.ago(each.oldest(), now),
          each.errorFingerprint() == null
              ? "none: see their reasons with list --state on_hold"
              : each.errorTitle());
    }
    return table;
  }
}
