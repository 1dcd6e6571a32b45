package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

@WithDatabase
@EverySetup
class SessionRolesIT {
  @Test
  @DisplayName("a worker's rights are enough for sessions: journal, events, orders, deletion")
  void worker(TestDatabase database) {
    TestTickets tickets = new TestTickets(database.dataSource());
    PGSimpleDataSource worker = as("holdfast_worker", database);
    long id = tickets.in(TicketState.DONE);
    new PostgresTicketDesk(worker).abortRetry(tickets.in(TicketState.IN_PROGRESS), "ann");
    String kind = "sessions-of-worker";
    long running = new PostgresTicketInbox(worker).enqueue(NewTicket.ofKind(kind));
    new PostgresJournalStore(worker, "holdfast", time -> {}, Secrets.NONE)
        .open(running, tickets.claim(kind))
        .append(JournalEntries.OF_EVERY_KIND);
    try (PostgresEventSink sink =
        new PostgresEventSink(worker, "holdfast", System::nanoTime, Secrets.NONE)) {
      sink.on(id, 1, new SessionEvent.TurnStarted(1, 2));
    }
    assertThat(new PostgresRetryAborts(worker, "holdfast").take(List.of(id))).isEmpty();
    TestSql owner = new TestSql(database.dataSource());
    String count = "SELECT count(*) FROM holdfast.session_events WHERE ticket_id = ?";
    assertThat(owner.number(count, id)).isOne();
    new TestSql(worker).run("DELETE FROM holdfast.tickets WHERE id = ?", id);
    assertThat(owner.number(count, id)).isZero();
    assertThat(new TestSql(worker).value("SELECT current_user")).isEqualTo("holdfast_worker");
  }

  private static PGSimpleDataSource as(String role, TestDatabase database) {
    PGSimpleDataSource dataSource = new PGSimpleDataSource();
    dataSource.setUrl(database.jdbcUrl());
    dataSource.setUser(database.user());
    dataSource.setPassword(database.password());
    dataSource.setOptions("-c role=" + role);
    return dataSource;
  }
}
