package dev.holdfast.cli.admin;

import dev.holdfast.queue.read.Checkup.Server;
import dev.holdfast.queue.read.Checkup.TransactionIds;
import dev.holdfast.queue.read.Checkup.WaitingCommits;
import java.util.List;
import java.util.stream.Collectors;

/** The checks in {@code holdfast doctor} for what makes a server that answers store nothing. */
final class StandstillChecks {
  /**
   * The limit of a warning. Below it PostgreSQL lets a vacuum skip everything except the freezing
   * (vacuum_failsafe_age).
   */
  private static final long FEW_IDS = 500_000_000;

  /** The number of ids that are kept for the vacuum that repairs it. */
  private static final long KEPT_IDS = 3_000_000;

  private StandstillChecks() {}

  static CheckResult commits(WaitingCommits waiting, Server server) {
    return waiting.sessions() == 0
        ? CheckResult.ok(
            "commits",
            "none %swaits for a synchronous standby"
                .formatted(server.seesAll() ? "" : "of " + server.user() + " "))
        : CheckResult.fail(
                "commits",
                "%s wait for a synchronous standby, and with them what others do (synchronous_standby_names = '%s')"
                    .formatted(waiting.sessions(), waiting.standbys()),
                "start that standby, or, as a superuser, then SELECT pg_reload_conf()")
            .by("ALTER SYSTEM SET synchronous_standby_names = ''");
  }

  static CheckResult policies(List<String> hiddenTables) {
    return hiddenTables.isEmpty()
        ? CheckResult.ok("policies", "row level security hides no table")
        : CheckResult.fail(
                "policies",
                "row level security hides all rows of " + String.join(", ", hiddenTables),
                "as the owner of the schema, run")
            .by(
                hiddenTables.stream()
                    .map("ALTER TABLE %s DISABLE ROW LEVEL SECURITY"::formatted)
                    .collect(Collectors.joining("; ")));
  }

  static CheckResult transactionIds(TransactionIds ids) {
    if (ids.left() > FEW_IDS) {
      return CheckResult.ok("wraparound", "far from the last transaction id");
    }
    String detail =
        "database %s lets %s more transactions begin, then the server takes no writes"
            .formatted(ids.database(), Math.max(0, ids.left() - KEPT_IDS));
    String step =
        "end what is in pg_prepared_xacts, drop stale ones of pg_replication_slots, and run as a"
            + " superuser";
    return (ids.left() > KEPT_IDS
            ? CheckResult.warn("wraparound", detail, step)
            : CheckResult.fail("wraparound", detail, step))
        .by("vacuumdb --all --freeze");
  }
}
