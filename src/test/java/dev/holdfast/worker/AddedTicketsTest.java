package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.NewTicket;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("Tickets that a handler adds")
class AddedTicketsTest {
  @Test
  @DisplayName("keep the digits of the numbers in their payloads")
  void digits() {
    String payload = "{\"big\":12345678901234567.25,\"money\":1.10}";
    assertThat(
            HandlerResult.done(null)
                .adding(List.of(NewTicket.ofDesign("more").withPayload(payload)))
                .enqueues())
        .contains(payload);
  }
}
