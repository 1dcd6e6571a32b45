package dev.holdfast.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.admin.CheckResult.Status;
import dev.holdfast.queue.read.Checkup.OpenTransaction;
import dev.holdfast.queue.read.Checkup.Server;
import dev.holdfast.queue.read.Checkup.Stranded;
import dev.holdfast.queue.read.Checkup.TransactionIds;
import dev.holdfast.queue.read.Checkup.WaitingCommits;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The judgements that a healthy test server cannot show. */
class ChecksTest {
  private static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  private static Server server(int major, boolean standby) {
    return new Server(major + ".1", major, "d", "UTF8", "u", NOW, standby, true, true, "");
  }

  @Test
  @DisplayName("an old server and a standby fail")
  void server() {
    assertThat(ServerChecks.server(server(15, false), "x").status()).isEqualTo(Status.OK);
    assertThat(ServerChecks.server(server(14, false), "x").status()).isEqualTo(Status.FAIL);
    assertThat(ServerChecks.server(server(18, true), "x").line())
        .startsWith("fail  database: ")
        .contains("primary");
  }

  @Test
  @DisplayName("a server that lets nothing write by its configuration fails, and says where it is")
  void readOnly() {
    assertThat(readOnlyBy("database").command())
        .isEqualTo(
            "BEGIN READ WRITE; ALTER DATABASE \"d\"\"1\" RESET default_transaction_read_only;"
                + " COMMIT");
    assertThat(readOnlyBy("configuration file").line())
        .startsWith("fail  database: ")
        .contains("default_transaction_read_only", "configuration");
  }

  private static CheckResult readOnlyBy(String source) {
    return ServerChecks.server(
        new Server("18.1", 18, "d\"1", "UTF8", "u", NOW, false, true, true, source), "x");
  }

  @Test
  @DisplayName(
      "issue 20, 2.6: a server that runs out of transaction ids is told of, and what helps")
  void transactionIds() {
    assertThat(idsLeft(1_900_000_000).status()).isEqualTo(Status.OK);
    assertThat(idsLeft(40_000_000).line())
        .startsWith("warn  wraparound: database d lets 37000000 more transactions begin")
        .endsWith(": vacuumdb --all --freeze");
    assertThat(idsLeft(2_999_999).line()).startsWith("fail  wraparound: database d lets 0 more");
  }

  @Test
  @DisplayName("issue 20, 2.6: commits that no synchronous standby confirms are told of")
  void commits() {
    assertThat(waiting(0).status()).isEqualTo(Status.OK);
    assertThat(waiting(7).line())
        .startsWith("fail  commits: 7 wait for a synchronous standby")
        .contains("synchronous_standby_names = 'b'")
        .endsWith(": ALTER SYSTEM SET synchronous_standby_names = ''");
  }

  private static CheckResult waiting(long sessions) {
    return StandstillChecks.commits(new WaitingCommits(sessions, "b"), server(18, false));
  }

  private static CheckResult idsLeft(long left) {
    return StandstillChecks.transactionIds(new TransactionIds("d", left));
  }

  @Test
  @DisplayName("an encoding that cannot store everything is a warning")
  void encoding() {
    assertThat(ServerChecks.encoding("UTF8").status()).isEqualTo(Status.OK);
    assertThat(ServerChecks.encoding("SQL_ASCII").line())
        .startsWith("warn  encoding: SQL_ASCII ")
        .contains("CREATE DATABASE");
  }

  @Test
  @DisplayName("a schema that is missing, old or newer fails")
  void schema() {
    assertThat(ServerChecks.schema(5, 5).status()).isEqualTo(Status.OK);
    assertThat(ServerChecks.schema(0, 5).nextStep()).isEqualTo("run: holdfast migrate");
    assertThat(ServerChecks.schema(4, 5).status()).isEqualTo(Status.FAIL);
    assertThat(ServerChecks.schema(6, 5).nextStep()).contains("newer Holdfast");
  }

  @Test
  @DisplayName("a ticket whose id no command takes is ended in SQL")
  void idBelowOne() {
    Stranded stranded = new Stranded(1, -5L, null);
    assertThat(TicketChecks.designs(stranded).command())
        .isEqualTo("SELECT holdfast.cancel_ticket(-5, current_user, 'its design is gone')");
    assertThat(TicketChecks.predecessors(stranded).line())
        .doesNotContain("holdfast show")
        .endsWith("SELECT holdfast.release_ticket(-5, current_user)");
    assertThat(TicketChecks.expiries(stranded).command())
        .isEqualTo("SELECT holdfast.hold_ticket(-5, current_user, 'expired')");
    assertThat(TicketChecks.designs(new Stranded(1, 5L, null)).command())
        .isEqualTo("holdfast cancel 5 --reason \"its design is gone\"");
  }

  @Test
  @DisplayName("clocks that differ by seconds are a warning, in either direction")
  void clock() {
    assertThat(ServerChecks.clock(NOW, NOW.plusMillis(4999)).status()).isEqualTo(Status.OK);
    assertThat(ServerChecks.clock(NOW, NOW.plusSeconds(5)).line()).contains("5s ahead of");
    assertThat(ServerChecks.clock(NOW, NOW.minusSeconds(9)).line())
        .startsWith("warn  ")
        .contains("9s behind");
  }

  @Test
  @DisplayName(
      "a pooler that drops notifications and a transaction that holds back vacuum are warnings")
  void warnings() {
    assertThat(ServerChecks.notifications(false).line())
        .startsWith("warn  ")
        .contains("database.listen-url");
    OpenTransaction open =
        new OpenTransaction(77, "ann", "psql", "idle in transaction", Duration.ofMinutes(200));
    assertThat(
            ServerChecks.transactions(List.of(open), Duration.ofMinutes(5), server(18, false))
                .line())
        .startsWith("warn  ")
        .contains("3h", "idle in transaction", "pg_terminate_backend(77)");
  }

  @Test
  @DisplayName("a server without autovacuum is a warning")
  void vacuum() {
    Server without = new Server("18.1", 18, "d", "UTF8", "u", NOW, false, false, true, "");
    assertThat(ServerChecks.vacuum(List.of(), server(18, false)).status()).isEqualTo(Status.OK);
    assertThat(ServerChecks.vacuum(List.of(), without).command())
        .isEqualTo("ALTER SYSTEM SET autovacuum = on");
  }

  @Test
  @DisplayName("who may not see the schema is granted no role that is not there yet")
  void rolesOfStranger() {
    assertThat(ServerChecks.rolesOf("ann", List.of("holdfast_operator"), List.of()).line())
        .startsWith("fail  roles: missing: holdfast_operator")
        .endsWith("SELECT holdfast.grant_roles()");
    assertThat(ServerChecks.rolesOf("ann", List.of("holdfast_worker"), List.of()).line())
        .endsWith("GRANT holdfast_operator TO \"ann\"");
  }

  @Test
  @DisplayName("missing roles are named, with where to read on")
  void roles() {
    assertThat(ServerChecks.roles(List.of(), List.of()).status()).isEqualTo(Status.OK);
    assertThat(ServerChecks.roles(List.of("holdfast_viewer"), List.of()).line())
        .startsWith("warn  roles: missing: holdfast_viewer; ")
        .contains("docs/sql.md");
    assertThat(ServerChecks.roles(List.of(), List.of("holdfast_viewer")).line())
        .startsWith("warn  roles: without their rights")
        .endsWith(
            "holdfast_viewer; as the owner of the schema, run: SELECT holdfast.grant_roles()");
  }
}
