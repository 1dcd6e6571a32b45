package dev.holdfast.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ListCommandTest {
  private record Row(long id, TicketState state) {}

  @Test
  @DisplayName(
      "a ticket that is claimed between the states of one list is in it once, as it was read last")
  void changesBetween() {
    Map<TicketState, List<Row>> read =
        Map.of(
            TicketState.READY,
            List.of(new Row(7, TicketState.READY), new Row(5, TicketState.READY)),
            TicketState.IN_PROGRESS,
            List.of(new Row(5, TicketState.IN_PROGRESS), new Row(4, TicketState.IN_PROGRESS)));
    List<TicketState> states = List.of(TicketState.READY, TicketState.IN_PROGRESS);
    assertThat(
            ListCommand.each(
                states,
                TicketFilter.all(2),
                filter -> read.getOrDefault(filter.state(), List.of()),
                Row::id))
        .containsExactly(new Row(7, TicketState.READY), new Row(5, TicketState.IN_PROGRESS));
  }
}
