package dev.holdfast.cli.admin;

import dev.holdfast.queue.read.Checkup.ExpiredLease;
import dev.holdfast.queue.read.Checkup.Limited;
import dev.holdfast.queue.read.Checkup.OldHolds;
import dev.holdfast.queue.read.Checkup.ReadyKind;
import dev.holdfast.queue.read.Checkup.Stranded;
import dev.holdfast.queue.read.LiveWorkers;
import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.read.WorkerRow;
import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

/** The checks of workers and waiting tickets in {@code holdfast doctor}. */
final class TicketChecks {
  /** How late a rescue may be. A live worker usually rescues what has expired every 5 s. */
  static final Duration RESCUE_GRACE = Duration.ofMinutes(1);

  static final Duration FAR = Duration.ofDays(30);
  static final Duration LONG_WAIT = Duration.ofDays(1);

  static final Duration LONG_HOLD = Duration.ofDays(1);

  /** The kinds that every {@code holdfast worker} runs. */
  private static final Set<String> BUILT_IN = Set.of("command", "agent", "repair");

  private TicketChecks() {}

  static CheckResult workers(List<WorkerRow> all, LiveWorkers live) {
    long silent =
        all.stream().filter(worker -> !worker.state().equals("stopped")).count()
            - live.rows().size();
    if (live.rows().isEmpty()) {
      return CheckResult.warn("workers", "none is running", "start one").by("holdfast worker");
    }
    int slots = live.rows().stream().mapToInt(WorkerRow::concurrency).sum();
    String detail = live.rows().size() + " running with " + slots + " slots";
    return silent <= 0
        ? CheckResult.ok("workers", detail)
        : CheckResult.warn(
            "workers",
            detail + ", " + silent + " draining or silent",
            "look at holdfast stats; tickets of silent workers are rescued when their lease ends");
  }

  static CheckResult references(List<String> keys) {
    return keys.isEmpty()
        ? CheckResult.ok("references", "no other table keeps tickets from being deleted")
        : CheckResult.warn(
            "references",
            "tickets that these foreign keys refer to stay beyond their time: "
                + String.join(", ", keys),
            "make them ON DELETE CASCADE or ON DELETE SET NULL, with an index on their columns");
  }

  static CheckResult kinds(List<ReadyKind> ready, LiveWorkers live) {
    List<ReadyKind> stranded =
        ready.stream().filter(each -> !live.take(each.queue(), each.kind())).toList();
    if (stranded.isEmpty()) {
      return CheckResult.ok("kinds", "every ready ticket has a worker that can run it");
    }
    String which =
        stranded.stream()
            .map(each -> each.tickets() + " of kind " + each.kind() + " in queue " + each.queue())
            .collect(Collectors.joining(", "));
    ReadyKind first = stranded.getFirst();
    return BUILT_IN.contains(first.kind())
        ? CheckResult.warn("kinds", "no live worker takes " + which, "start a worker for them")
            .by("holdfast worker --queue " + first.queue())
        : CheckResult.warn(
                "kinds",
                "no live worker takes " + which,
                "start the program that handles "
                    + first.kind()
                    + ", or where it is a typing error, enqueue it again and")
            .by(cancel(first.firstId(), "no worker takes it"));
  }

  static CheckResult pauses(List<QueueHealth> queues) {
    List<QueueHealth> waiting =
        queues.stream().filter(queue -> queue.paused() && queue.ready() > 0).toList();
    if (waiting.isEmpty()) {
      return CheckResult.ok("pauses", "no paused queue has ready tickets");
    }
    String which =
        waiting.stream()
            .map(
                queue ->
                    String.format(
                        Locale.ROOT,
                        "%s with %d ready tickets (paused by %s)",
                        queue.queue(),
                        queue.ready(),
                        queue.pausedBy()))
            .collect(Collectors.joining(", "));
    return CheckResult.warn("pauses", "paused: " + which, "resume with")
        .by("holdfast resume " + waiting.getFirst().queue());
  }

  static CheckResult leases(List<ExpiredLease> expired) {
    if (expired.isEmpty()) {
      return CheckResult.ok("leases", "none has expired without a rescue");
    }
    ExpiredLease oldest = expired.getFirst();
    long tickets = expired.stream().mapToLong(ExpiredLease::tickets).sum();
    return CheckResult.warn(
            "leases",
            String.format(
                Locale.ROOT,
                "%d expired, with %d tickets that nobody rescued; the oldest %s ago, of worker %s",
                expired.size(),
                tickets,
                DurationText.rough(oldest.expiredFor()),
                oldest.workerId()),
            "every live worker rescues them, so none lives or all hang; start one")
        .by("holdfast worker");
  }

  static CheckResult waits(Stranded far, Instant now) {
    return far.firstId() == null
        ? CheckResult.ok(
            "waits", "no ticket waits longer than " + FAR.toDays() + " days for its time")
        : CheckResult.warn(
                "waits",
                "%s tickets have a retry_after of more than %s days, the last is due %s"
                    .formatted(far.tickets(), FAR.toDays(), DurationText.ago(far.until(), now)),
                "if that is an error, in SQL")
            .by("UPDATE holdfast.tickets SET retry_after = NULL WHERE id = " + far.firstId());
  }

  static CheckResult predecessors(Stranded behind) {
    return behind.firstId() == null
        ? CheckResult.ok("predecessors", "no ticket waits for one that is long on hold")
        : CheckResult.warn(
                "predecessors",
                behind.tickets()
                    + " tickets wait for others that have been on hold for more than a day, or are"
                    + " gone; the first of those is "
                    + behind.firstId(),
                forTicket(behind.firstId(), "see holdfast show %s", "look at it") + ", then")
            .by(
                forTicket(
                    behind.firstId(),
                    "holdfast release %s",
                    "SELECT holdfast.release_ticket(%s, current_user)"));
  }

  static CheckResult limits(List<Limited> limited) {
    if (limited.isEmpty()) {
      return CheckResult.ok("limits", "no ticket has waited for a limit for more than a day");
    }
    String which =
        limited.stream()
            .map(each -> each.scope() + " with " + each.tickets())
            .collect(Collectors.joining(", "));
    return CheckResult.warn(
            "limits",
            "tickets have waited for more than a day for these limits: %s; the first is %s"
                .formatted(which, limited.getFirst().firstId()),
            "set a higher one with holdfast limit set, or take it away with")
        .by("holdfast limit remove " + limited.getFirst().scope());
  }

  static CheckResult expiries(Stranded expired) {
    return expired.firstId() == null
        ? CheckResult.ok("expiries", "every ticket that has expired is on hold")
        : CheckResult.warn(
                "expiries",
                expired.tickets()
                    + " tickets have expired and are not on hold: no worker lives, or the database"
                    + " refuses it (a worker's log says so)",
                "start a worker, or")
            .by(
                forTicket(
                    expired.firstId(),
                    "holdfast hold %s --reason expired",
                    "SELECT holdfast.hold_ticket(%s, current_user, 'expired')"));
  }

  static CheckResult times(Stranded future, Instant now) {
    return future.firstId() == null
        ? CheckResult.ok("times", "no ticket's time was set by a clock that was ahead")
        : CheckResult.warn(
                "times",
                future.tickets()
                    + " tickets wait for a time that was set when the database's clock was ahead,"
                    + " the last is due "
                    + DurationText.ago(Objects.requireNonNull(future.until()), now),
                "keep the server's clock by NTP; to try them now, in SQL")
            .by(
                "UPDATE holdfast.tickets SET retry_after = NULL WHERE state = 'ready' AND"
                    + " retry_after > now() AND updated_at > now()");
  }

  static CheckResult designs(Stranded without) {
    return without.firstId() == null
        ? CheckResult.ok("designs", "every ready ticket has its design")
        : CheckResult.warn(
                "designs",
                without.tickets() + " ready tickets are of a design that is not there any more",
                "enqueue the work again with a design that is there, and")
            .by(cancel(without.firstId(), "its design is gone"));
  }

  static CheckResult assignees(Stranded nobody) {
    return nobody.firstId() == null
        ? CheckResult.ok("assignees", "every ready ticket is meant for workers or a person")
        : CheckResult.warn(
                "assignees",
                nobody.tickets() + " ready tickets have no assignee_type, so no worker takes them",
                "for workers, in SQL")
            .by(
                "UPDATE holdfast.tickets SET assignee_type = 'agent' WHERE id = "
                    + nobody.firstId());
  }

  static CheckResult holds(OldHolds old, Instant now) {
    Instant oldest = old.oldest();
    if (oldest == null) {
      return CheckResult.ok("holds", "no ticket waits for a person for more than a day");
    }
    return CheckResult.warn(
        "holds",
        old.groups()
            + " groups of held tickets wait for a person, the oldest since "
            + DurationText.ago(oldest, now),
        "see holdfast stats, then holdfast release --fingerprint F --guidance TEXT");
  }

  private static String cancel(long id, String reason) {
    return forTicket(
        id,
        "holdfast cancel %s --reason \"" + reason + "\"",
        "SELECT holdfast.cancel_ticket(%s, current_user, '" + reason + "')");
  }

  /**
   * Returns the command for a ticket. Earlier versions accepted ids below 1 in SQL; the command
   * line never did.
   */
  private static String forTicket(long id, String command, String sql) {
    return (id > 0 ? command : sql).formatted(id);
  }
}
