package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.schema.Question;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.Answer;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class QuestionsIT {
  private static final Question COLOUR = Question.of("which colour?", List.of("red", "blue"));
  private static final Question COPIES =
      Question.parse("{\"ask\": \"how many?\", \"schema\": {\"type\": \"integer\"}}");

  private final TicketDatabase database;
  private final TestQueue queue;
  private final TicketDesk desk;
  private final PostgresTicketReader reader;

  QuestionsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.desk = new PostgresTicketDesk(database.dataSource());
    this.reader = new PostgresTicketReader(database.dataSource());
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private void answerInSql(long id, String json) {
    database.run("SELECT holdfast.answer_ticket(?, 'ann', ?::jsonb)", id, json);
  }

  @Test
  @DisplayName(
      "issue 22: a job's question holds its ticket with the cause question; the answers of several"
          + " are given to the next attempts with their types, and no retry is used")
  void severalQuestions() {
    long id = queue.ask(COLOUR);
    assertThat(database.ticket(id))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "question: which colour?")
        .containsEntry("allowed_actions", "{answer,cancel}")
        .containsEntry("retry_count", "0");
    assertThat(
            database.value(
                "SELECT details->>'holdCause' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                    + " action = 'held'",
                id))
        .isEqualTo("question");
    assertThat(reader.question(id).map(Question::parse)).hasValue(COLOUR);

    answerInSql(id, "\"red\"");
    queue.ask(id, queue.claim(), COPIES);
    assertThat(desk.answer(id, "bob", "3")).isEqualTo(TicketState.READY);

    assertThat(queue.claim(1).getFirst().guidance())
        .extracting(Guidance::author, Guidance::source, Guidance::text, Guidance::answer)
        .containsExactly(
            tuple("ann", "answer", "red", new Answer("which colour?", "\"red\"")),
            tuple("bob", "answer", "3", new Answer("how many?", "3")));
    assertThat(reader.guidance(id)).extracting(Guidance::answer).doesNotContainNull();
    assertThat(database.ticket(id)).containsEntry("retry_count", "0");
    assertThat(database.outcomes(id)).containsExactly("parked", "parked");
  }

  @Test
  @DisplayName("issue 22: an answer that the question does not take is refused, and says why")
  void wrongAnswers() {
    long colour = queue.ask(COLOUR);
    assertThatThrownBy(() -> answerInSql(colour, "\"green\""))
        .rootCause()
        .hasMessageContaining("the answer must be one of \"red\", \"blue\"");
    assertThatThrownBy(() -> desk.answer(colour, "ann", "\"green\""))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("one of \"red\", \"blue\"");
    long copies = queue.ask(COPIES);
    assertThatThrownBy(() -> desk.answer(copies, "ann", "\"many\""))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("the answer must be of type integer");
    long free = queue.ask(Question.of("what?"));
    for (String wrong : List.of("7", "null", "\" \"", "\"" + "x".repeat(70_000) + "\"")) {
      assertThatThrownBy(() -> desk.answer(free, "ann", wrong))
          .isInstanceOf(InvalidInputException.class)
          .hasMessageContaining("the answer");
    }
    assertThatThrownBy(() -> desk.answer(free, "ann", "\"a\\u0000\""))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> desk.release(free, "ann", null, TicketDesk.Retries.RESET))
        .hasMessageContaining("It allows answer, cancel");
    for (long id : List.of(colour, copies, free)) {
      assertThat(reader.question(id)).isPresent();
      assertThat(reader.guidance(id)).isEmpty();
    }
  }

  @Test
  @DisplayName(
      "issue 22: the second answer, and one to a ticket that asks nothing or is cancelled, is"
          + " refused; an answer can be undone")
  void tooLate() {
    long cancelled = queue.ask(COLOUR);
    long id = queue.ask(COLOUR);
    desk.answer(id, "ann", "\"red\"");
    assertThatThrownBy(() -> desk.answer(id, "bob", "\"blue\""))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("ann was the last to act on it (answered");
    assertThat(desk.unrelease(id, "ann")).isEqualTo(TicketState.ON_HOLD);
    assertThat(reader.guidance(id)).isEmpty();
    assertThat(reader.question(id)).isPresent();
    desk.answer(id, "bob", "\"blue\"");

    long held = queue.enqueue();
    desk.hold(held, "ann", "why not");
    assertThatThrownBy(() -> desk.answer(held, "ann", "\"red\""))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("asks nothing");
    desk.cancel(cancelled, "ann", "no need");
    assertThatThrownBy(() -> desk.answer(cancelled, "ann", "\"red\""))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("it is cancelled");
    assertThat(reader.question(cancelled)).isEmpty();
  }
}
