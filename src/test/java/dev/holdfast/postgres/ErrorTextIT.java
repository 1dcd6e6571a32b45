package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.Review;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class ErrorTextIT {
  private final TicketDatabase database;
  private final TestQueue queue;

  ErrorTextIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private long fail(String text) {
    long id = queue.enqueue();
    Failure failure = new Failure(text, Category.UNKNOWN, "test", "", null, null, "print");
    FinishResult result = queue.queue().retryOrFailTicket(id, queue.claim(), failure);
    assertThat(result).isInstanceOf(FinishResult.Retried.class);
    return id;
  }

  private String logged(long id) {
    return database.value(
        "SELECT details->>'error' FROM holdfast.ticket_timeline"
            + " WHERE ticket_id = ? AND event = 'retry_decision'",
        id);
  }

  @ParameterizedTest
  @ValueSource(ints = {501, 1_000_000, 10_000_000})
  @DisplayName("A54: an error is stored whole in the row, and its first 500 characters in the log")
  void long_(int length) {
    String text = "x".repeat(length - 1) + "y";

    long id = fail(text);

    assertThat(database.ticket(id).get("error")).isEqualTo(text);
    assertThat(logged(id)).isEqualTo("x".repeat(500));
  }

  @Test
  @DisplayName("A54: NUL characters are stripped")
  void nul() {
    long id = fail("a\0b\0");

    assertThat(database.ticket(id)).containsEntry("error", "ab");
    assertThat(logged(id)).isEqualTo("ab");
  }

  @Test
  @DisplayName("A54: lone surrogates are replaced, pairs are kept")
  void surrogates() {
    long id = fail("\uD83D \uDE00 \uD83D\uDE00");

    assertThat(database.ticket(id)).containsEntry("error", "\uFFFD \uFFFD \uD83D\uDE00");
  }

  @Test
  @DisplayName("A54: the cut of the log does not halve a character")
  void cutInsidePair() {
    long id = fail("x".repeat(499) + "\uD83D\uDE00");

    // PostgreSQL counts whole characters.
    assertThat(logged(id)).isEqualTo("x".repeat(499) + "\uD83D\uDE00");
  }

  @Test
  @DisplayName("A54: quotes, backslashes and escapes come back as they were")
  void quoting() {
    String text = "{\"a\": \"\\u0000\"}, 'b', \\, {NULL}, \n\t\u0007 \u2028";

    assertThat(database.ticket(fail(text))).containsEntry("error", text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"\"\\u0000\"", "not json", "{\"a\": 1", "\"\\ud83d\"", "", "{\"a\": 1}\0"})
  @DisplayName("a result that jsonb refuses is an error of the value, and nothing is stored")
  void refusedResult(String result) {
    long id = queue.enqueue();
    long lease = queue.claim();
    List<Finish> finishes = List.of(new Finish.Succeeded(id, lease, result, Review.HUMAN, null));

    assertThatThrownBy(() -> queue.queue().finish(finishes, List.of(lease)))
        .isInstanceOf(InvalidInputException.class);
    assertThat(database.state(id)).isEqualTo("in_progress");
    assertThat(database.outcomes(id)).isEmpty();
  }

  @Test
  @DisplayName("a result that jsonb refuses does not matter if its lease is stale")
  void refusedStaleResult() {
    long id = queue.enqueue();
    long lease = queue.claim();
    queue.giveBack(id, lease);

    assertThat(
            queue
                .queue()
                .finish(
                    List.of(new Finish.Succeeded(id, lease, "not json", Review.HUMAN, null)),
                    List.of()))
        .containsExactly(new FinishResult.Stale(id));
  }
}
