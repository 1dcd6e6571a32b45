package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** That the ledger sees what it is there for: histories made by hand, each wrong in one way. */
@WithDatabase
class LedgerIT {
  private static final Instant BEFORE = Instant.now().minusSeconds(60);

  private final TicketDatabase database;
  private final Ledger ledger;
  private final List<Long> acknowledged = new ArrayList<>();
  private final List<String[]> lines = new ArrayList<>();
  private final List<Fault> faults = new ArrayList<>();
  private final List<String> said = new ArrayList<>();

  LedgerIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.ledger = new Ledger(this.database);
  }

  @BeforeAll
  static void install(TestDatabase database) {
    Ledger.install(new TicketDatabase(database));
  }

  @BeforeEach
  void forget() {
    database.run(
        "TRUNCATE chaos.claims, chaos.lease_ends, chaos.changes, chaos.renewals,"
            + " holdfast.ticket_attempts");
  }

  private Account account() {
    ledger.take(acknowledged, lines, faults, said);
    return ledger.account();
  }

  /** A ticket that a worker claimed; the lease has time left when it ends. */
  private long claimed(long lease, String worker) {
    long id = database.enqueue("chaos");
    acknowledged.add(id);
    reclaimed(id, lease, worker);
    return id;
  }

  private void reclaimed(long id, long lease, String worker) {
    database.run(
        "INSERT INTO chaos.claims VALUES (?, ?, ?, now() - interval '1 s')", lease, id, worker);
    database.run("INSERT INTO chaos.lease_ends VALUES (?, now() + interval '9 s', now())", lease);
    ran(id, lease);
  }

  private void ran(long id, long lease) {
    lines.add(new String[] {"start", Long.toString(id), "1", Long.toString(lease)});
    lines.add(new String[] {"end", Long.toString(id), "1", Long.toString(lease)});
  }

  private void ended(long id, long lease, String outcome) {
    database.run(
        "INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at,"
            + " attempt, outcome, worker_id) VALUES (?, ?, now(), now(), ?, ?, 'w')",
        id,
        lease,
        (int) lease,
        outcome);
  }

  private void done(long id, long lease) {
    ended(id, lease, "succeeded");
    database.run("UPDATE holdfast.ticket_base SET state = 'done' WHERE id = ?", id);
    database.run("DELETE FROM chaos.changes WHERE ticket_id = ? AND result IS NULL", id);
    changed(id, lease, lease);
  }

  private void changed(long id, long lease, long byLease) {
    database.run(
        "INSERT INTO chaos.changes VALUES (?, ?, 'ready', 'done', jsonb_build_object('lease',"
            + " ?::bigint), now())",
        id,
        lease,
        byLease);
  }

  @Test
  @DisplayName("what ran once and is done is in order")
  void clean() {
    done(claimed(1, "w"), 1);
    assertThat(account()).matches(Account::isClean);
    assertThat(account().duplicates()).isZero();
  }

  @Test
  @DisplayName("a ticket that was acknowledged is lost if it is not there, or not done")
  void lost() {
    acknowledged.add(-1L);
    long waits = database.enqueue("chaos");
    acknowledged.add(waits);
    assertThat(account().lost()).containsExactlyInAnyOrder("-1 is not there", waits + " ready");
  }

  @Test
  @DisplayName(
      "a ticket is finished twice by two changes, by two attempts, or by one after its end")
  void twice() {
    long byChanges = claimed(1, "w");
    done(byChanges, 1);
    changed(byChanges, 1, 1);
    long byAttempts = claimed(2, "w");
    done(byAttempts, 2);
    ended(byAttempts, 3, "succeeded");
    long later = claimed(4, "w");
    done(later, 4);
    database.run("UPDATE chaos.changes SET old_state = 'done' WHERE ticket_id = ?", later);
    assertThat(account().twice())
        .containsExactlyInAnyOrder(
            Long.toString(byChanges), Long.toString(byAttempts), Long.toString(later));
  }

  @Test
  @DisplayName("a result of another lease, or of a job that did not run to its end, is seen")
  void foreign() {
    long other = claimed(1, "w");
    done(other, 1);
    database.run(
        "UPDATE chaos.changes SET result = '{\"ghost\": true}' WHERE ticket_id = ?", other);
    long never = claimed(2, "w");
    done(never, 2);
    lines.removeIf(line -> line[0].equals("end") && line[1].equals(Long.toString(never)));
    assertThat(account().foreign()).hasSize(2);
  }

  @Test
  @DisplayName(
      "an execution needs a reason: what struck its worker or all, or a lease that ran out")
  void reasons() {
    for (long lease = 10; lease <= 12; lease++) {
      long id = claimed(lease, "w" + lease);
      ended(id, lease, "crashed");
      reclaimed(id, lease + 10, "v");
      done(id, lease + 10);
    }
    faults.add(new Fault("SIGKILL", "w10", BEFORE, null));
    database.run(
        "UPDATE chaos.lease_ends SET expires_at = at - interval '1 s' WHERE lease_no = 11");
    Account account = account();
    assertThat(account.explained()).isEqualTo(Map.of("SIGKILL", 1, "lease expired", 1));
    assertThat(account.unexplained()).singleElement().asString().contains("lease 12 of w12");
    faults.add(new Fault("server down", null, BEFORE, Instant.now()));
    assertThat(account()).matches(Account::isClean);
    assertThat(account().duplicates()).isEqualTo(3);
  }

  @Test
  @DisplayName(
      "a worker that lives may give back what it stopped because a renewal was late: it says so,"
          + " and the database knows of one")
  void late() {
    for (long lease = 20; lease <= 22; lease++) {
      long id = claimed(lease, "w");
      ended(id, lease, "given_back");
      reclaimed(id, lease + 10, "v");
      done(id, lease + 10);
      String gap = lease == 21 ? "1 s" : "4.1 s";
      database.run("INSERT INTO chaos.renewals VALUES (?, ?::interval, now())", lease, gap);
      if (lease < 22) {
        said.add(
            "INFO stopping ticket %s (lease %s): its lease could not be renewed and is about to end"
                .formatted(id, lease));
      }
    }
    Account account = account();
    assertThat(account.explained()).isEqualTo(Map.of(Ledger.LATE, 1));
    assertThat(account.unexplained()).hasSize(2);
  }

  @Test
  @DisplayName("what ran twice under one lease, or is not known to Holdfast, has no reason")
  void withoutReason() {
    faults.add(new Fault("server down", null, BEFORE, Instant.now()));
    long again = claimed(31, "w");
    done(again, 31);
    ran(again, 31);
    claimed(32, "w");
    assertThat(account().unexplained()).hasSize(2);
  }
}
