package dev.holdfast.postgres.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.TestSql;
import dev.holdfast.postgres.TestTickets;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.ticket.Transition;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@WithDatabase
@EverySetup
class TransitionsIT {
  /** What a person may do; the others are a worker's, under its lease. */
  private static final Set<Transition> BY_PERSON =
      EnumSet.of(
          Transition.HOLD,
          Transition.RELEASE,
          Transition.APPROVE,
          Transition.REJECT,
          Transition.CANCEL);

  private final TestSql sql;
  private final TestTickets tickets;

  TransitionsIT(TestDatabase database) {
    this.sql = new TestSql(database.dataSource());
    this.tickets = new TestTickets(database.dataSource());
  }

  static Stream<Arguments> pairs() {
    List<Arguments> pairs = new ArrayList<>();
    for (TicketState from : TicketState.values()) {
      for (TicketState to : TicketState.values()) {
        if (from != to) {
          pairs.add(Arguments.of(from, to));
        }
      }
    }
    return pairs.stream();
  }

  @ParameterizedTest(name = "{0} to {1}")
  @MethodSource("pairs")
  @DisplayName("A2, A3: UPDATE of tickets.state does what the table of transitions gives a person")
  void byPerson(TicketState from, TicketState to) {
    long id = tickets.in(from);
    boolean legal =
        BY_PERSON.stream().anyMatch(action -> action.to() == to && action.isLegalFrom(from));
    String update = "UPDATE holdfast.tickets SET state = ? WHERE id = ? RETURNING state";
    if (legal) {
      assertThat(sql.value(update, to.wireName(), id)).isEqualTo(to.wireName());
      assertThat(state(id)).isEqualTo(to.wireName());
    } else {
      TestSql.Refusal refusal = sql.refusal(update, to.wireName(), id);
      assertThat(refusal.sqlState()).isEqualTo("HF409");
      assertThat(refusal.message())
          .contains(
              "ticket " + id + " is " + from.wireName() + "; it cannot become " + to.wireName());
      assertThat(state(id)).isEqualTo(from.wireName());
    }
  }

  @ParameterizedTest(name = "{0} to {1}")
  @MethodSource("pairs")
  @DisplayName("A3: below the view, the stored state knows the same table of transitions")
  void stored(TicketState from, TicketState to) {
    if (from == TicketState.IN_PROGRESS || to == TicketState.IN_PROGRESS) {
      return; // stored as ready, with a lease
    }
    long id = tickets.in(from);
    boolean legal =
        Transition.isLegal(from, to)
            || (from == TicketState.READY && Transition.isLegal(TicketState.IN_PROGRESS, to));
    String update =
        """
        UPDATE holdfast.ticket_base
        SET state = ?::text, held_at = CASE WHEN ?::text = 'on_hold' THEN now() END WHERE id = ?
        """;
    if (legal) {
      assertThat(sql.update(update, to.wireName(), to.wireName(), id)).isOne();
    } else {
      assertThat(sql.refusal(update, to.wireName(), to.wireName(), id).sqlState())
          .isEqualTo("HF409");
    }
    assertThat(state(id)).isEqualTo(legal ? to.wireName() : from.wireName());
  }

  @Test
  @DisplayName("an unknown or missing state is refused in words")
  void unknown() {
    long id = tickets.in(TicketState.READY);
    assertThat(
            sql.refusal("UPDATE holdfast.tickets SET state = 'failed' WHERE id = ?", id).message())
        .contains("it cannot become failed");
    assertThat(sql.refusal("UPDATE holdfast.tickets SET state = NULL WHERE id = ?", id).message())
        .contains("it cannot become NULL");
  }

  private String state(long id) {
    return String.valueOf(sql.value("SELECT state FROM holdfast.tickets WHERE id = ?", id));
  }
}
