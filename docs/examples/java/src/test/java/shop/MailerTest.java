package shop;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketDesk.Retries;
import dev.holdfast.schedule.CatchUp;
import dev.holdfast.schedule.NewSchedule;
import dev.holdfast.schedule.Overlap;
import dev.holdfast.testing.TestHoldfast;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Collections;
import java.util.Deque;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class MailerTest {
  /** What the mail server does next; it takes mails where nothing is said. */
  private static final Deque<Boolean> BUSY = new ArrayDeque<>();

  @AutoClose
  static final TestHoldfast holdfast =
      TestHoldfast.embedded()
          .handler(
              "email",
              new Mailer(
                      payload -> {
                        if (!BUSY.isEmpty() && BUSY.pop()) {
                          throw new Mailer.ServerBusyException();
                        }
                      })
                  ::work)
          .workflows();

  @BeforeEach
  void empty() {
    BUSY.clear();
    holdfast.clear();
  }

  @Test
  void aMailIsSent() {
    long id = holdfast.enqueue(NewTicket.ofKind("email").withPayload("{\"to\": \"ann\"}"));
    holdfast.ticket(id).isReady();
    assertEquals(1, holdfast.drain());
    holdfast.ticket(id).isDone().hasResult("{ \"sent\":true }").wasTried(1);
  }

  @Test
  void aBusyServerIsTriedAgain() {
    BUSY.add(true);
    long id = holdfast.enqueue(NewTicket.ofKind("email"));
    holdfast.drain();
    holdfast.ticket(id).isReady().hasErrorCategory("transient").hasError("429").wasTried(1);
    holdfast.advance(Duration.ofSeconds(15)).drain();
    holdfast.ticket(id).wasTried(1);
    holdfast.advance(Duration.ofSeconds(15)).drain();
    holdfast.ticket(id).isDone().wasTried(2);
  }

  @Test
  void aServerThatStaysBusyIsLeftToAPerson() {
    BUSY.addAll(Collections.nCopies(4, true));
    long id = holdfast.enqueue(NewTicket.ofKind("email"));
    for (int i = 0; i < 4; i++) {
      holdfast.drain();
      holdfast.advance(Duration.ofMinutes(5));
    }
    holdfast.ticket(id).isOnHold("Max retries exceeded").wasTried(4);
    holdfast.desk().release(id, "ann", "the server is back", Retries.RESET);
    holdfast.drain();
    holdfast.ticket(id).isDone();
  }

  @Test
  void aDelayedMailWaits() {
    long id = holdfast.enqueue(NewTicket.ofKind("email").withDelay(Duration.ofHours(2)));
    assertEquals(0, holdfast.drain());
    holdfast.advance(Duration.ofHours(2));
    assertEquals(1, holdfast.drain());
    holdfast.ticket(id).isDone();
  }

  @Test
  void aNewsletterGoesOutEachMorning() {
    holdfast
        .schedules()
        .put(
            new NewSchedule(
                "newsletter",
                "0 7 * * *",
                null,
                "Europe/Berlin",
                NewTicket.ofKind("email"),
                CatchUp.LAST,
                Overlap.ALLOW),
            "ann");
    holdfast.advance(Duration.ofDays(3));
    assertEquals(3, holdfast.drain());
    holdfast.advance(Duration.ofDays(14));
    assertEquals(14, holdfast.drain());
  }

  @Test
  void aReportFollowsItsBatch() {
    long batch =
        holdfast
            .inbox()
            .enqueueBatch(
                Collections.nCopies(20, NewTicket.ofKind("email")).iterator(), "ann", "mails")
            .batchId();
    long report = holdfast.enqueue(NewTicket.ofKind("email").withAfterBatch(batch));
    assertEquals(21, holdfast.drain());
    holdfast.ticket(report).isDone();
  }

  @Test
  void aWorkflowMailsWhenAPersonSaysSo() throws SQLException {
    try (Connection connection = holdfast.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      statement.execute(
          """
          INSERT INTO holdfast.designs (name, version, kind, definition) VALUES
            ('mail', 1, 'email', '{}'),
            ('news', 1, 'workflow', '{"steps": {
              "ok": {"kind": "human", "ask": "Send it?"},
              "each": {"design": "mail", "after": ["ok"], "for_each": "payload.to", "payload": {"to": "${item}"}}}}')
          """);
    }
    long id =
        holdfast.enqueue(NewTicket.ofDesign("news").withPayload("{\"to\": [\"ann\", \"bob\"]}"));
    holdfast.drain();
    holdfast.ticket(id).isReady();
    holdfast.ticket(id + 1).isOnHold("Send it?");
    holdfast.desk().answer(id + 1, "carl", "\"yes\"");
    holdfast.drain();
    holdfast
        .ticket(id)
        .isDone()
        .hasResult("{\"ok\": \"yes\", \"each\": [{\"sent\": true}, {\"sent\": true}]}");
  }

  @Test
  void aClaimThatDoesNotHoldTellsTheStory() {
    long id = holdfast.enqueue(NewTicket.ofKind("email"));
    holdfast.drain();
    AssertionError error =
        assertThrows(AssertionError.class, () -> holdfast.ticket(id).isOnHold("busy"));
    assertEquals(
        true,
        error
                .getMessage()
                .startsWith("ticket " + id + " should have the state on_hold, but has done")
            && error.getMessage().contains("succeeded by "),
        error.getMessage());
  }
}
