package dev.holdfast.cli.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The table of tickets")
class TicketTableTest {
  @Test
  @DisplayName("says once why a ticket is held where its reason and its error say the same")
  void saysItOnce() {
    assertThat(TicketTable.heldFor("step a is on hold", "step a is on hold"))
        .isEqualTo("step a is on hold");
    assertThat(TicketTable.heldFor("gave up: no route", "no route")).isEqualTo("gave up: no route");
    assertThat(TicketTable.heldFor("max_retries", "no route")).isEqualTo("max_retries: no route");
    assertThat(TicketTable.heldFor("max_retries", null)).isEqualTo("max_retries");
  }
}
