package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.queue.read.AttemptRow;
import dev.holdfast.queue.read.AutoRetrySwitch;
import dev.holdfast.queue.read.EqualAttempts;
import dev.holdfast.queue.read.EventLine;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.retry.DurationText;
import dev.holdfast.ticket.Guidance;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Prints a ticket for people: first what it waits for, then how it got there. */
final class TicketPrinter {
  private final Terminal terminal;
  private final Instant now;

  /**
   * @param now by the database's clock
   */
  TicketPrinter(Terminal terminal, Instant now) {
    this.terminal = terminal;
    this.now = now;
  }

  void print(
      TicketRow ticket,
      Optional<Integer> newerDesign,
      Optional<String> waits,
      Optional<AutoRetrySwitch> autoRetry,
      List<AttemptRow> attempts,
      List<Guidance> guidance,
      List<TimelineEntry> timeline) {
    String title = ticket.title() == null ? "" : " " + PlainText.oneLine(ticket.title());
    terminal.line("#" + ticket.id() + title);
    printFields(ticket);
    newerDesign.ifPresent(
        version ->
            field(
                "newer design",
                "version " + version + "; to use it: holdfast design use " + ticket.id()));
    waits.ifPresent(each -> field("waits", each));
    field("expires", time(ticket.expiresAt()));
    autoRetry.ifPresent(
        each ->
            field(
                "auto-retry",
                (each.enabled() ? "on" : "off")
                    + ", by "
                    + each.changedBy()
                    + " "
                    + DurationText.ago(each.changedAt(), now)));
    error(ticket);
    block("result", ticket.result());
    block("payload", ticket.payload());
    for (Guidance each : guidance) {
      block(
          "guidance by %s at %s, %s"
              .formatted(each.author(), each.source(), DurationText.ago(each.givenAt(), now)),
          each.text());
    }
    printAttempts(attempts);
    printTimeline(timeline);
  }

  private void printFields(TicketRow ticket) {
    field("state", ticket.state());
    field("held because", ticket.holdReason());
    field(
        "you may",
        ticket.allowedActions() == null ? null : String.join(", ", ticket.allowedActions()));
    field(
        "queue, kind",
        ticket.queue()
            + ", "
            + ticket.kind()
            + (ticket.priority() == 0 ? "" : ", priority " + ticket.priority()));
    field(
        "design",
        ticket.design() == null ? null : ticket.design() + ", version " + ticket.designVersion());
    field(
        "assignee",
        ticket.assigneeType() == null || ticket.assigneeType().equals("agent")
            ? null
            : ticket.assigneeType());
    field("category", ticket.errorCategory());
    field("fingerprint", ticket.errorFingerprint());
    field(
        "retries used",
        ticket.retryCount()
            + (ticket.rejectionCount() == 0
                ? ""
                : ", rejected " + ticket.rejectionCount() + " times"));
    field("due", ticket.state().equals("ready") ? time(ticket.retryAfter()) : null);
    field("worker", ticket.workerId());
    field("lease ends", time(ticket.leaseExpiresAt()));
    field("unique key", ticket.uniqueKey());
    field("batch", ticket.batchId() == null ? null : ticket.batchId().toString());
    field("created", time(ticket.createdAt()));
    field("started", time(ticket.startedAt()));
    field(ticket.state().equals("on_hold") ? "stopped" : "completed", time(ticket.completedAt()));
  }

  private @Nullable String time(@Nullable Instant time) {
    return time == null ? null : DurationText.ago(time, now) + " (" + time + ")";
  }

  private void field(String name, @Nullable String value) {
    if (value != null) {
      terminal.line(
          "  " + name + " ".repeat(Math.max(1, 14 - name.length())) + PlainText.oneLine(value));
    }
  }

  private void block(String name, @Nullable String text) {
    if (text != null && !text.equals("{}")) {
      terminal.line("");
      terminal.line(name + ":");
      PlainText.lines(text).lines().forEach(line -> terminal.line("  " + line));
    }
  }

  /** Prints the line that gives the reason, and then the whole error if it says more. */
  private void error(TicketRow ticket) {
    String title = ticket.errorTitle();
    String error = ticket.error();
    if (title != null && error != null && !title.equals(error.strip())) {
      block("error", title);
      block("the whole error", error);
    } else {
      block("error", error);
    }
  }

  private void printAttempts(List<AttemptRow> attempts) {
    if (attempts.isEmpty()) {
      return;
    }
    terminal.line("");
    TextTable table =
        new TextTable("ATTEMPT", "OUTCOME", "FINISHED", "TOOK", "CATEGORY", "RULE", "ERROR");
    for (EqualAttempts each : EqualAttempts.of(attempts)) {
      AttemptRow newest = each.newest();
      String ago = DurationText.ago(newest.finishedAt(), now);
      table.row(
          each.numbers(),
          newest.outcome(),
          each.count() == 1 ? ago : each.count() + " times, last " + ago,
          PlainText.took(Duration.between(newest.startedAt(), newest.finishedAt())),
          newest.category(),
          newest.rule(),
          newest.errorTitle());
    }
    table.print(terminal);
  }

  private void printTimeline(List<TimelineEntry> timeline) {
    terminal.line("");
    TextTable table = new TextTable("WHEN", "WHAT");
    for (TimelineEntry each : timeline) {
      if (!EventLine.isToldByDecision(each)) {
        table.row(DurationText.ago(each.at(), now), EventLine.of(each));
      }
    }
    table.print(terminal);
  }
}
