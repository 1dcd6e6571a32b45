package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ticket.ClaimedTicket;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimCursorTest {
  private static final long SLOW = TimeUnit.MILLISECONDS.toNanos(50);

  private final ClaimCursor cursor = new ClaimCursor();

  private void claim(boolean wasFull, long started, long ended, ClaimedTicket... tickets) {
    cursor.claimed(Arrays.asList(tickets), wasFull, started, ended);
  }

  @Test
  @DisplayName("A38: the first claim is full, and so is every one while claims are cheap")
  void cheap() {
    assertThat(cursor.after(0)).isEmpty();
    claim(true, 0, TimeUnit.MILLISECONDS.toNanos(9), Claimed.ticket(1, "a", 0));
    assertThat(cursor.after(0)).isEmpty();
  }

  @Test
  @DisplayName(
      "A39: after a slow full claim each lane goes on behind its last ticket in claim order")
  void behind() {
    cursor.after(0);
    claim(
        true,
        0,
        SLOW,
        Claimed.ticket(4, "b", 9),
        Claimed.ticket(7, "a", 3),
        Claimed.ticket(5, "b", 2),
        Claimed.ticket(6, "b", 2));

    assertThat(cursor.after(SLOW)).containsExactlyInAnyOrder(7L, 6L);
  }

  @Test
  @DisplayName("A39: an urgent ticket waits at most twenty times as long as a full claim takes")
  void fullAgain() {
    cursor.after(0);
    claim(true, 0, SLOW, Claimed.ticket(1, "a", 0));

    assertThat(cursor.after(21 * SLOW - 1)).containsExactly(1L);
    claim(true, 21 * SLOW - 1, 21 * SLOW, Claimed.ticket(2, "a", 0));
    assertThat(cursor.after(21 * SLOW)).isEmpty();
  }

  @Test
  @DisplayName("A38: what a claim behind others does not find, the next one looks for everywhere")
  void notFull() {
    cursor.after(0);
    claim(true, 0, SLOW, Claimed.ticket(1, "a", 0));
    cursor.after(SLOW);
    claim(false, SLOW, SLOW + 1);

    assertThat(cursor.after(SLOW + 1)).isEmpty();
  }

  @Test
  @DisplayName("A39: where a full claim found only tickets before the place, the next is full too")
  void stillBefore() {
    cursor.after(0);
    claim(true, 0, SLOW, Claimed.ticket(9, "a", 0));
    cursor.after(30 * SLOW);
    claim(true, 30 * SLOW, 31 * SLOW, Claimed.ticket(2, "a", 5));
    assertThat(cursor.after(31 * SLOW)).isEmpty();

    claim(true, 31 * SLOW, 32 * SLOW, Claimed.ticket(10, "a", 0));
    assertThat(cursor.after(32 * SLOW)).containsExactly(10L);
  }
}
