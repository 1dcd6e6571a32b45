package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.TestTickets;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@WithDatabase
@EverySetup
class PostgresRetryAbortsIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  private final TestTickets tickets;
  private final PostgresTicketDesk desk;
  private final PostgresTicketReader reader;
  private final PostgresRetryAborts aborts;

  PostgresRetryAbortsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.tickets = new TestTickets(database.dataSource());
    this.desk = new PostgresTicketDesk(database.dataSource());
    this.reader = new PostgresTicketReader(database.dataSource());
    this.aborts = new PostgresRetryAborts(database.dataSource(), "holdfast");
  }

  @Test
  @DisplayName("D27, D34: each order is given out once, to whoever runs the ticket")
  void once() {
    long one = tickets.in(TicketState.IN_PROGRESS);
    long other = tickets.in(TicketState.IN_PROGRESS);
    desk.abortRetry(one, "ann");
    desk.abortRetry(one, "bob");
    desk.abortRetry(other, "ann");

    assertThat(reader.hasRetryAbort(one)).isTrue();
    assertThat(aborts.take(Set.of())).isEmpty();
    assertThat(aborts.take(List.of(one, 987_654_321L))).containsExactly(one);
    assertThat(aborts.take(List.of(one))).isEmpty();
    assertThat(reader.hasRetryAbort(one)).isFalse();
    assertThat(aborts.take(List.of(one, other))).containsExactly(other);
  }

  @Test
  @DisplayName("D27: who has ordered it takes the order back, and nobody else's")
  void withdrawn() {
    long id = tickets.in(TicketState.IN_PROGRESS);
    desk.abortRetry(id, "ann");
    assertThat(desk.withdrawAbortRetry(id, "bob")).isTrue();
    assertThat(aborts.take(List.of(id))).containsExactly(id);

    desk.abortRetry(id, "ann");
    assertThat(desk.withdrawAbortRetry(id, "ann")).isTrue();
    assertThat(aborts.take(List.of(id))).isEmpty();
    assertThat(desk.withdrawAbortRetry(id, "ann")).isFalse();
  }

  @Test
  @DisplayName("D33: a switched-off auto-retry ends retries alone, and is no order")
  void switchedOff() {
    long off = tickets.in(TicketState.IN_PROGRESS);
    long on = tickets.in(TicketState.IN_PROGRESS);
    desk.setAutoRetry(off, "ann", TicketDesk.AutoRetry.OFF);
    desk.setAutoRetry(on, "ann", TicketDesk.AutoRetry.ON);

    assertThat(aborts.take(List.of(off, on))).isEmpty();
    assertThat(aborts.switchedOff(Set.of())).isEmpty();
    assertThat(aborts.switchedOff(List.of(off, on))).containsExactly(off);
  }

  @ParameterizedTest
  @EnumSource(value = TicketState.class, names = "IN_PROGRESS", mode = EnumSource.Mode.EXCLUDE)
  @DisplayName("a ticket that is not in progress has no retry to end: HF409 says what it is")
  void notInProgress(TicketState state) {
    long id = tickets.in(state);

    assertThatThrownBy(() -> desk.abortRetry(id, "ann"))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("cannot end a retry of ticket " + id)
        .hasMessageContaining("it is " + state.wireName());
    assertThat(reader.hasRetryAbort(id)).isFalse();
  }

  @Test
  @DisplayName("an unknown ticket and a missing actor are refused")
  void garbage() {
    assertThatThrownBy(() -> desk.abortRetry(987_654_321, "ann"))
        .isInstanceOf(NotFoundException.class);
    long id = tickets.in(TicketState.IN_PROGRESS);
    assertThatThrownBy(() -> desk.abortRetry(id, " ")).isInstanceOf(InvalidInputException.class);
  }

  @Test
  @DisplayName("an order is void after 15 s, and for every later attempt")
  void isVoid() {
    long old = tickets.in(TicketState.IN_PROGRESS);
    desk.abortRetry(old, "ann");
    database.run(
        "UPDATE holdfast.retry_aborts SET requested_at = now() - interval '16 seconds' WHERE"
            + " ticket_id = ?",
        old);
    assertThat(aborts.take(List.of(old))).isEmpty();
    assertThat(reader.hasRetryAbort(old)).isFalse();

    long id = queue.enqueue();
    long lease = queue.claim();
    desk.abortRetry(id, "ann");
    queue.giveBack(id, lease);
    queue.claim();
    assertThat(aborts.take(List.of(id))).isEmpty();
  }
}
