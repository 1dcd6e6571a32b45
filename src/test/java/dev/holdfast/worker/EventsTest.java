package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.TicketEvent;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Listeners")
class EventsTest {
  static final class Untold extends RuntimeException {
    private static final long serialVersionUID = 1;

    @Override
    public String getMessage() {
      throw new IllegalStateException("no message");
    }
  }

  @Test
  @DisplayName("A55: one that throws what no log takes harms neither the worker nor the others")
  void untold() {
    List<TicketEvent> heard = new ArrayList<>();
    Events events =
        new Events(
            List.of(
                event -> {
                  throw new Untold();
                },
                heard::add));
    TicketEvent event = new TicketEvent.GivenBack(7);
    events.tell(event);
    assertThat(heard).containsExactly(event);
  }
}
