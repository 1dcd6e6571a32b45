package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.ticket.ClaimedTicket;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ClaimCursorTest {
  private static final long TOOK = TimeUnit.MILLISECONDS.toNanos(5);

  private final ClaimCursor cursor = new ClaimCursor();

  private void claim(boolean wasFull, long started, long ended, ClaimedTicket... tickets) {
    cursor.claimed(Arrays.asList(tickets), wasFull, started, ended);
  }

  /** The first claim, which found its one ticket. */
  private void first(ClaimedTicket ticket) {
    assertThat(cursor.after(-TOOK)).isEmpty();
    claim(true, -TOOK, 0, ticket);
  }

  @Test
  @DisplayName("A38: the first claim is full, and so is every one after a claim that found less")
  void nothingLeft() {
    first(Claimed.ticket(1, "a", 0));
    for (int i = 1; i < 4; i++) {
      assertThat(cursor.after(i * TOOK)).isEmpty();
      claim(false, i * TOOK, (i + 1) * TOOK, Claimed.ticket(i, "a", 0));
    }
  }

  @Test
  @DisplayName("A39: a slow first claim says nothing of the others; the next one is full too")
  void coldStart() {
    cursor.after(0);
    claim(true, 0, 1_000 * TOOK, Claimed.ticket(1, "a", 0));
    assertThat(cursor.after(1_000 * TOOK)).isEmpty();
    claim(true, 1_000 * TOOK, 1_001 * TOOK, Claimed.ticket(2, "a", 0));

    assertThat(cursor.after(1_021 * TOOK - 1)).containsExactly(2L);
    assertThat(cursor.after(1_021 * TOOK)).isEmpty();
  }

  @Test
  @DisplayName("A39: after a full claim each lane goes on behind its last ticket in claim order")
  void behind() {
    first(Claimed.ticket(1, "a", 9));
    cursor.after(0);
    claim(
        true,
        0,
        TOOK,
        Claimed.ticket(4, "b", 9),
        Claimed.ticket(7, "a", 3),
        Claimed.ticket(5, "b", 2),
        Claimed.ticket(6, "b", 2));

    assertThat(cursor.after(TOOK)).containsExactlyInAnyOrder(7L, 6L);
  }

  @Test
  @DisplayName("A39: an urgent ticket waits at most twenty times as long as a full claim takes")
  void fullAgain() {
    first(Claimed.ticket(1, "a", 0));
    cursor.after(0);
    claim(true, 0, TOOK, Claimed.ticket(2, "a", 0));

    assertThat(cursor.after(21 * TOOK - 1)).containsExactly(2L);
    claim(true, 21 * TOOK - 1, 21 * TOOK, Claimed.ticket(3, "a", 0));
    assertThat(cursor.after(21 * TOOK)).isEmpty();
  }

  @Test
  @DisplayName("A38: what a claim behind others does not find, the next one looks for everywhere")
  void notFull() {
    first(Claimed.ticket(1, "a", 0));
    cursor.after(0);
    claim(true, 0, TOOK, Claimed.ticket(2, "a", 0));
    cursor.after(TOOK);
    claim(false, TOOK, TOOK + 1);

    assertThat(cursor.after(TOOK + 1)).isEmpty();
  }

  @Test
  @DisplayName("A39: where a full claim found only tickets before the place, the next is full too")
  void stillBefore() {
    first(Claimed.ticket(8, "a", 0));
    cursor.after(0);
    claim(true, 0, TOOK, Claimed.ticket(9, "a", 0));
    cursor.after(30 * TOOK);
    claim(true, 30 * TOOK, 31 * TOOK, Claimed.ticket(2, "a", 5));
    assertThat(cursor.after(31 * TOOK)).isEmpty();

    claim(true, 31 * TOOK, 32 * TOOK, Claimed.ticket(10, "a", 0));
    assertThat(cursor.after(32 * TOOK)).containsExactly(10L);
  }
}
