package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest.Room;
import dev.holdfast.ticket.ClaimedTicket;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimAllowanceTest {
  private final ClaimAllowance allowance = new ClaimAllowance(new Room(100_000, 1 << 20, 1));

  private static ClaimedTicket given(String results) {
    ClaimedTicket plain = Claimed.ticket(1);
    return new ClaimedTicket(
        plain.ticket(), plain.lease(), Optional.empty(), 1, 0, List.of(), results);
  }

  private long roomWith(ClaimedTicket ticket) {
    allowance.claimed(allowance.take(), new Claim(List.of(ticket), Optional.empty()));
    return allowance.take().bytes();
  }

  @Test
  @DisplayName("20.1: results of other tickets take room until the ticket's run is over")
  void results() {
    ClaimedTicket ticket = given("x".repeat(60_000));
    assertThat(roomWith(ticket)).isBetween(39_900L, 40_000L);
    allowance.ended(ticket);
    assertThat(allowance.take().bytes()).isEqualTo(100_000);
  }

  @Test
  @DisplayName("20.1: what came with few bytes takes none")
  void small() {
    assertThat(roomWith(given("{}"))).isEqualTo(100_000);
  }
}
