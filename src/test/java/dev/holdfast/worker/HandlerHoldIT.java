package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.failure.ErrorReport;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.schema.Question;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.TicketWait;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@WithDatabase
@Timeout(120)
class HandlerHoldIT {
  private static final HandlerResult HELD =
      HandlerResult.held("Look at \0 the invoice", ErrorReport.ofText("ETIMEDOUT"));

  private final TicketDatabase database;
  private final TestWorker setup;

  HandlerHoldIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.setup = new TestWorker(this.database);
  }

  @Test
  @DisplayName(
      "C38: a handler may have its ticket held although retries are left; a person may release it")
  void held() {
    long id = setup.enqueue();
    setup.handler(ticket -> ticket.attempt() == 1 ? HELD : HandlerResult.done(null));
    try (Worker _ = setup.start()) {
      TicketEvent.Held event = setup.events.await(TicketEvent.Held.class);
      assertThat(event.reason()).isEqualTo("handler");
      assertThat(database.state(id)).isEqualTo("on_hold");
      assertThat(database.ticket(id))
          .containsEntry("hold_reason", "Look at  the invoice")
          .containsEntry("error_category", "transient")
          .containsEntry("retry_count", "0");
      assertThat(
              database.value("SELECT allowed_actions::text FROM holdfast.tickets WHERE id = ?", id))
          .isEqualTo("{release,release_with_guidance,cancel}");
      database.value("SELECT holdfast.release_ticket(?, 'ann', 'it was paid')", id);
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(database.outcomes(id)).containsExactly("failed", "succeeded");
    }
  }

  @Test
  @DisplayName(
      "A52: a stopping worker gives back what it has stopped, but not a question to a person")
  void heldWhileDraining() {
    long id = setup.enqueue();
    CountDownLatch running = new CountDownLatch(1);
    setup
        .settings(settings -> settings.withDrainTimeout(TestWorker.SOON))
        .handler(
            ticket -> {
              running.countDown();
              try {
                new CountDownLatch(1).await();
              } catch (InterruptedException stopped) {
                return HELD;
              }
              throw new AssertionError("nobody stopped it");
            });
    try (Worker _ = setup.start()) {
      running.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
    assertThat(database.state(id)).isEqualTo("on_hold");
  }

  @Test
  @DisplayName("a question with a character that PostgreSQL cannot store is asked without it")
  void question() {
    long id = setup.enqueue();
    setup.handler(ticket -> HandlerResult.asks(Question.of("Which\0 colour?")));
    try (Worker _ = setup.start()) {
      setup.events.await(TicketEvent.Parked.class);
    }
    assertThat(database.ticket(id))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "question: Which colour?");
    assertThat(database.value("SELECT holdfast.asked_question(?)->>'ask'", id))
        .isEqualTo("Which\uFFFD colour?");
  }

  @Test
  @DisplayName(
      "a handler may put its ticket off for longer than anything can count, and by a time that is"
          + " over: it waits for a hundred years, or not at all")
  void putOff() {
    long later = setup.enqueue();
    long over = setup.enqueue();
    setup.handler(
        ticket ->
            ticket.attempt() > 1
                ? HandlerResult.done(null)
                : new HandlerResult.Deferred(
                    Duration.ofSeconds(
                        ticket.ticketId() == later ? Long.MAX_VALUE : Long.MIN_VALUE),
                    new TicketWait(TicketWait.Kind.PROVIDER, List.of(), "not now", null)));
    try (Worker _ = setup.start()) {
      setup.events.await(TicketEvent.Succeeded.class);
      await().until(() -> database.outcomes(later).size() == 1);
    }
    assertThat(database.outcomes(over)).containsExactly("deferred", "succeeded");
    assertThat(database.outcomes(later)).containsExactly("deferred");
    assertThat(database.state(later)).isEqualTo("ready");
    assertThat(
            database.value(
                "SELECT retry_after > now() + interval '99 years' FROM holdfast.tickets WHERE id"
                    + " = ?",
                later))
        .isEqualTo("t");
  }
}
