package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.retry.DurationText;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi;

/** Prints tickets as the rows of a table for people. */
record TicketTable(HoldfastCommand root, TicketReader reader) {
  private static final int STATE = 1;
  private static final int QUEUE = 2;
  private static final int KIND = 3;
  private static final int RETRIES = 5;

  /** Prints the columns that have room on most screens. */
  void print(List<TicketSummary> rows) {
    TextTable table =
        new TextTable(
            "ID", "STATE", "QUEUE", "KIND", "DESIGN", "RETRIES", "UPDATED", "TITLE", "WHY");
    table.spare(KIND, RETRIES, QUEUE);
    Instant now = reader.now();
    Map<Long, String> waits = waits(rows);
    for (TicketSummary row : rows) {
      table.row(
          row.id(),
          row.state(),
          row.queue(),
          row.kind(),
          design(row),
          row.retryCount(),
          DurationText.ago(row.updatedAt(), now),
          row.title(),
          why(row, waits.get(row.id()), now));
    }
    print(table);
  }

  /** Prints more columns, and cuts nothing off. */
  void printWide(List<TicketSummary> rows) {
    TextTable table =
        TextTable.whole(
            "ID",
            "STATE",
            "QUEUE",
            "KIND",
            "DESIGN",
            "PRIORITY",
            "RETRIES",
            "ATTEMPTS",
            "CREATED",
            "UPDATED",
            "CATEGORY",
            "FINGERPRINT",
            "KEY",
            "TITLE",
            "WHY");
    Instant now = reader.now();
    Map<Long, String> waits = waits(rows);
    for (TicketSummary row : rows) {
      table.row(
          row.id(),
          row.state(),
          row.queue(),
          row.kind(),
          design(row),
          row.priority(),
          row.retryCount(),
          row.attemptCount(),
          DurationText.ago(row.createdAt(), now),
          DurationText.ago(row.updatedAt(), now),
          row.errorCategory(),
          row.errorFingerprint(),
          row.uniqueKey(),
          row.title(),
          why(row, waits.get(row.id()), now));
    }
    print(table);
  }

  private void print(TextTable table) {
    if (root.colours()) {
      table.paint(STATE, colourOfState());
    }
    table.print(root.terminal());
  }

  private static UnaryOperator<String> colourOfState() {
    return state ->
        switch (state) {
          case "on_hold" -> coloured("red", state);
          case "needs_review" -> coloured("yellow", state);
          case "in_progress" -> coloured("cyan", state);
          case "done" -> coloured("green", state);
          default -> state;
        };
  }

  private static String coloured(String colour, String text) {
    return Ansi.ON.string("@|" + colour + " " + text + "|@");
  }

  private static String design(TicketSummary row) {
    return row.design() == null ? "" : row.design() + " v" + row.designVersion();
  }

  private Map<Long, String> waits(List<TicketSummary> rows) {
    return reader.waitingFor(
        rows.stream().filter(row -> row.state().equals("ready")).map(TicketSummary::id).toList());
  }

  private static String why(TicketSummary row, @Nullable String waitsFor, Instant now) {
    if (row.holdReason() != null) {
      return heldFor(row.holdReason(), row.errorTitle());
    }
    boolean waits =
        row.state().equals("ready") && row.retryAfter() != null && row.retryAfter().isAfter(now);
    if (waits && waitsFor != null) {
      return "waiting for "
          + waitsFor.replaceFirst(" \\(.*", "")
          + ", due "
          + DurationText.ago(row.retryAfter(), now);
    }
    if (waitsFor != null) {
      return "waiting for " + waitsFor;
    }
    if (waits) {
      String error = row.errorCategory() == null ? "" : row.errorCategory() + ", ";
      return error
          + "due "
          + DurationText.ago(row.retryAfter(), now)
          + (row.errorTitle() == null ? "" : ": " + row.errorTitle());
    }
    return row.workerId() == null ? "" : row.workerId();
  }

  static String heldFor(String reason, @Nullable String error) {
    return error == null || reason.equals(error) || reason.endsWith(": " + error)
        ? reason
        : reason + ": " + error;
  }
}
