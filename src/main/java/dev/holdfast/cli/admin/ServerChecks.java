package dev.holdfast.cli.admin;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.queue.read.Checkup.OpenTransaction;
import dev.holdfast.queue.read.Checkup.Server;
import dev.holdfast.queue.read.Checkup.TableVacuum;
import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/** The checks of the server in {@code holdfast doctor}: each turns facts into one line. */
final class ServerChecks {
  private static final int OLDEST_SERVER = 15;
  private static final Duration SKEW_LIMIT = Duration.ofSeconds(5);
  static final Duration PATIENCE = Duration.ofSeconds(2);
  private static final long MANY_DEAD_ROWS = 50_000;
  private static final Duration LONG_UNCLEANED = Duration.ofMinutes(10);

  private ServerChecks() {}

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
    return server.readOnlyBy().isEmpty()
        ? CheckResult.ok("database", detail)
        : readOnly(
            server,
            "%s takes no writes: default_transaction_read_only is on (by %s)"
                .formatted(detail, server.readOnlyBy()));
  }

  private static CheckResult readOnly(Server server, String detail) {
    String role = "ROLE " + quoted(server.user());
    String database = "DATABASE " + quoted(server.database());
    return switch (server.readOnlyBy()) {
      case "user" -> readOnlyOf(role, detail);
      case "database" -> readOnlyOf(database, detail);
      case "database user" -> readOnlyOf(role + " IN " + database, detail);
      case "client", "session" ->
          CheckResult.fail("database", detail, "take it out of database.url");
      default -> CheckResult.fail("database", detail, "turn it off in the server's configuration");
    };
  }

  /**
   * Reports a database that is read-only. The command uses a transaction that writes: a setting of
   * the database also holds for the person who repairs it.
   */
  private static CheckResult readOnlyOf(String owner, String detail) {
    return CheckResult.fail("database", detail, "turn it off in psql, for new connections")
        .by(
            "BEGIN READ WRITE; ALTER %s RESET default_transaction_read_only; COMMIT"
                .formatted(owner));
  }

  private static String quoted(String name) {
    return '"' + name.replace("\"", "\"\"") + '"';
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
      return CheckResult.fail("schema", "the schema holdfast is missing", "run")
          .by("holdfast migrate");
    }
    if (version < newest) {
      return CheckResult.fail("schema", "at version " + version + " of " + newest, "run")
          .by("holdfast migrate");
    }
    return version > newest
        ? CheckResult.fail(
            "schema",
            "at version " + version + ", this Holdfast knows " + newest,
            "install a newer Holdfast")
        : CheckResult.ok("schema", "at version " + version);
  }

  static CheckResult roles(List<String> missing, List<String> withoutRights) {
    if (!withoutRights.isEmpty()) {
      return CheckResult.warn(
              "roles",
              "without their rights, as after a restore that left privileges out: "
                  + String.join(", ", withoutRights),
              "as the owner of the schema, run")
          .by("SELECT holdfast.grant_roles()");
    }
    return missing.isEmpty()
        ? CheckResult.ok(
            "roles",
            "holdfast_viewer, holdfast_producer, holdfast_designer, holdfast_operator and"
                + " holdfast_worker are there")
        : CheckResult.warn(
                "roles",
                "missing: "
                    + String.join(", ", missing)
                    + "; whoever migrated may not create roles",
                "as docs/sql.md says under Roles, with CREATEROLE and as the owner of the schema")
            .by("SELECT holdfast.grant_roles()");
  }

  /** Reports the roles of a user who may not see the schema, and for whom nothing works. */
  static CheckResult rolesOf(String user, List<String> missing, List<String> withoutRights) {
    return withoutRights.isEmpty() && !missing.contains("holdfast_operator")
        ? CheckResult.fail(
                "roles", user + " has none that sees the schema", "as the owner of the schema, run")
            .by("GRANT holdfast_operator TO " + quoted(user))
        : roles(missing, withoutRights).asFailure();
  }

  static CheckResult notifications(boolean arrive) {
    return arrive
        ? CheckResult.ok("notifications", "they arrive")
        : CheckResult.warn(
                "notifications",
                "none arrived within "
                    + PATIENCE.toSeconds()
                    + " s, so new tickets wait for the next poll",
                "behind a transaction pooler let database.listen-url name the server itself")
            .by("export HOLDFAST_DATABASE_LISTEN_URL=postgresql://HOST:5432/DATABASE");
  }

  static CheckResult notificationsOfStandby() {
    return CheckResult.skip(
        "notifications", "on a standby nobody can listen", "run doctor at the primary");
  }

  static CheckResult clock(Instant database, Instant here) {
    Duration skew = Duration.between(database, here);
    String detail =
        "this machine is %s %s the database"
            .formatted(PlainText.took(skew.abs()), skew.isNegative() ? "behind" : "ahead of");
    return skew.abs().compareTo(SKEW_LIMIT) < 0
        ? CheckResult.ok("clock", detail)
        : CheckResult.warn(
                "clock",
                detail,
                "leases and retries go by the database's clock all the same; on the machine that is"
                    + " wrong, as root")
            .by("timedatectl set-ntp true");
  }

  static CheckResult transactions(List<OpenTransaction> open, Duration limit, Server server) {
    String longer = "open for more than " + DurationText.format(limit);
    if (open.isEmpty()) {
      return server.seesAll()
          ? CheckResult.ok("transactions", "none is " + longer)
          : CheckResult.skip(
                  "transactions",
                  "none of " + server.user() + " is " + longer + "; those of others are hidden",
                  "to see them, as a superuser")
              .by("GRANT pg_read_all_stats TO " + identifier(server.user()));
    }
    OpenTransaction oldest = open.getFirst();
    return CheckResult.warn(
            "transactions",
            String.format(
                Locale.ROOT,
                "%d %s, which keeps vacuum from cleaning up; the oldest for %s: process %d of %s"
                    + " (%s, %s)",
                open.size(),
                longer,
                DurationText.rough(oldest.age()),
                oldest.pid(),
                oldest.user(),
                oldest.application(),
                oldest.state()),
            "end it with")
        .by("SELECT pg_terminate_backend(" + oldest.pid() + ")");
  }

  static CheckResult vacuum(List<TableVacuum> tables, Server server) {
    if (!server.autovacuum()) {
      return CheckResult.warn(
              "vacuum",
              "autovacuum is off, so tables and queries grow slower and larger without end",
              "as a superuser, then SELECT pg_reload_conf()")
          .by("ALTER SYSTEM SET autovacuum = on");
    }
    for (TableVacuum each : tables) {
      if (!each.autovacuum()) {
        return CheckResult.warn(
                "vacuum", "autovacuum is off for " + each.table(), "as its owner, run")
            .by("ALTER TABLE " + each.table() + " RESET (autovacuum_enabled)");
      }
    }
    return tables.stream()
        .filter(each -> isBehind(each, server.now()))
        .max(Comparator.comparingLong(TableVacuum::dead))
        .map(
            each ->
                CheckResult.warn(
                        "vacuum",
                        each.table()
                            + " has "
                            + each.dead()
                            + " dead rows and "
                            + each.live()
                            + " live ones, and was "
                            + (each.cleaned() == null
                                ? "never vacuumed"
                                : "vacuumed last "
                                    + DurationText.ago(each.cleaned(), server.now())),
                        "end long transactions, then, as its owner, run")
                    .by("VACUUM (ANALYZE) " + each.table()))
        .orElseGet(() -> CheckResult.ok("vacuum", "autovacuum keeps up with all tables"));
  }

  /** Returns true if more than half of it is dead, and that did not begin only a moment ago. */
  private static boolean isBehind(TableVacuum table, Instant now) {
    return table.dead() >= MANY_DEAD_ROWS
        && table.dead() > table.live()
        && (table.cleaned() == null || table.cleaned().isBefore(now.minus(LONG_UNCLEANED)));
  }

  private static String identifier(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }
}
