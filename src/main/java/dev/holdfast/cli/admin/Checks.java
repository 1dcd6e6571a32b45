package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.queue.read.Checkup.OpenTransaction;
import dev.holdfast.queue.read.Checkup.ReadyKind;
import dev.holdfast.queue.read.Checkup.Server;
import dev.holdfast.queue.read.ErrorGroup;
import dev.holdfast.queue.read.LiveWorkers;
import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.WorkerRow;
import dev.holdfast.tool.sandbox.SandboxState;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The judgements of {@code holdfast doctor}, from facts to one line each. */
final class Checks {
  private static final int OLDEST_SERVER = 15;
  private static final Duration SKEW_LIMIT = Duration.ofSeconds(5);
  private static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final Duration LONG_TRANSACTION = Duration.ofMinutes(5);
  private static final Duration LONG_HOLD = Duration.ofDays(1);

  /** Workers renew their row at every heartbeat, every 15 s as a rule. */
  private Checks() {}

  static CheckResult server(Server server, String address) {
    String detail =
        "PostgreSQL %s at %s, database %s as %s"
            .formatted(server.version(), address, server.database(), server.user());
    if (server.major() < OLDEST_SERVER) {
      return CheckResult.fail(
          "database", detail, "upgrade to PostgreSQL " + OLDEST_SERVER + " or newer");
    }
    if (server.standby()) {
      return CheckResult.fail(
          "database",
          detail + " is a standby and takes no writes",
          "point database.url at the primary");
    }
    return CheckResult.ok("database", detail);
  }

  static CheckResult encoding(String encoding) {
    return encoding.equals("UTF8")
        ? CheckResult.ok("encoding", "UTF8")
        : CheckResult.warn(
            "encoding",
            encoding + " cannot store all texts that programs and models write",
            "move to a database made by CREATE DATABASE ... ENCODING 'UTF8' TEMPLATE template0");
  }

  static CheckResult schema(int version, int newest) {
    if (version == 0) {
      return CheckResult.fail("schema", "the schema holdfast is missing", "run: holdfast migrate");
    }
    if (version < newest) {
      return CheckResult.fail(
          "schema", "at version " + version + " of " + newest, "run: holdfast migrate");
    }
    return version > newest
        ? CheckResult.fail(
            "schema",
            "at version " + version + ", this Holdfast knows " + newest,
            "install a newer Holdfast")
        : CheckResult.ok("schema", "at version " + version);
  }

  static CheckResult roles(List<String> missing) {
    return missing.isEmpty()
        ? CheckResult.ok(
            "roles",
            "holdfast_viewer, holdfast_producer, holdfast_designer, holdfast_operator and"
                + " holdfast_worker are there")
        : CheckResult.warn(
            "roles",
            "missing: " + String.join(", ", missing) + "; whoever migrated may not create roles",
            "create them and give them their rights as docs/sql.md says under Roles");
  }

  static CheckResult notifications(boolean arrive) {
    return arrive
        ? CheckResult.ok("notifications", "they arrive")
        : CheckResult.warn(
            "notifications",
            "none arrived within "
                + PATIENCE.toSeconds()
                + " s, so new tickets wait for the next poll",
            "behind a transaction pooler set database.listen-url to the server itself");
  }

  static Duration patience() {
    return PATIENCE;
  }

  static CheckResult clock(Instant database, Instant here) {
    Duration skew = Duration.between(database, here);
    String detail =
        "this machine is "
            + skew.abs().toMillis()
            + " ms "
            + (skew.isNegative() ? "behind" : "ahead of")
            + " the database";
    return skew.abs().compareTo(SKEW_LIMIT) < 0
        ? CheckResult.ok("clock", detail)
        : CheckResult.warn(
            "clock",
            detail,
            "set up time synchronisation; leases and retries go by the database's clock all the"
                + " same");
  }

  static CheckResult workers(List<WorkerRow> all, LiveWorkers live) {
    long silent =
        all.stream().filter(worker -> !worker.state().equals("stopped")).count()
            - live.rows().size();
    if (live.rows().isEmpty()) {
      return CheckResult.warn("workers", "none is running", "start one: holdfast worker");
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

  static CheckResult kinds(List<ReadyKind> ready, LiveWorkers live) {
    List<String> stranded = new ArrayList<>();
    for (ReadyKind each : ready) {
      if (!live.take(each.queue(), each.kind())) {
        stranded.add(each.tickets() + " of kind " + each.kind() + " in queue " + each.queue());
      }
    }
    return stranded.isEmpty()
        ? CheckResult.ok("kinds", "every ready ticket has a worker that can run it")
        : CheckResult.warn(
            "kinds",
            "no live worker takes " + String.join(", ", stranded),
            "start a worker for them, or check the kind and the queue for typing errors");
  }

  static CheckResult pauses(List<QueueHealth> queues) {
    List<String> waiting =
        queues.stream()
            .filter(queue -> queue.paused() && queue.ready() > 0)
            .map(
                queue ->
                    queue.queue()
                        + " with "
                        + queue.ready()
                        + " ready tickets (paused by "
                        + queue.pausedBy()
                        + ")")
            .toList();
    return waiting.isEmpty()
        ? CheckResult.ok("pauses", "no paused queue has ready tickets")
        : CheckResult.warn(
            "pauses",
            "paused: " + String.join(", ", waiting),
            "resume with: holdfast resume QUEUE");
  }

  static CheckResult holds(TicketReader reader, Instant now) {
    List<ErrorGroup> old =
        reader.errorGroups(1000).stream()
            .filter(group -> group.oldest().isBefore(now.minus(LONG_HOLD)))
            .toList();
    if (old.isEmpty()) {
      return CheckResult.ok("holds", "no ticket waits for a person for more than a day");
    }
    Instant oldest = old.stream().map(ErrorGroup::oldest).min(Instant::compareTo).orElseThrow();
    return CheckResult.warn(
        "holds",
        old.size()
            + " groups of held tickets wait for a person, the oldest since "
            + PlainText.relative(oldest, now),
        "see holdfast stats, then holdfast release --fingerprint F --guidance TEXT");
  }

  /** Of this machine, which may be another than the workers'. */
  static CheckResult sandbox(SandboxState state) {
    String detail = state.words();
    return switch (state.level()) {
      case CONFINED -> CheckResult.ok("sandbox", detail);
      case REFUSED ->
          CheckResult.fail(
              "sandbox", detail, state.remedy() + "; tickets that need it are held until then");
      case UNCONFINED -> CheckResult.warn("sandbox", detail, state.remedy());
      case OFF ->
          CheckResult.warn(
              "sandbox", detail, "set tools.sandbox to required, unless a container confines them");
    };
  }

  static Duration longTransaction() {
    return LONG_TRANSACTION;
  }

  static CheckResult transactions(List<OpenTransaction> open) {
    if (open.isEmpty()) {
      return CheckResult.ok(
          "transactions",
          "none is open for more than " + LONG_TRANSACTION.toMinutes() + " minutes");
    }
    OpenTransaction oldest = open.getFirst();
    return CheckResult.warn(
        "transactions",
        String.format(
            Locale.ROOT,
            "%d open for more than %d minutes, which keeps vacuum from cleaning up; the oldest for"
                + " %s: process %d of %s (%s, %s)",
            open.size(),
            LONG_TRANSACTION.toMinutes(),
            PlainText.rough(oldest.age()),
            oldest.pid(),
            oldest.user(),
            oldest.application(),
            oldest.state()),
        "end it with: SELECT pg_terminate_backend(" + oldest.pid() + ")");
  }
}
