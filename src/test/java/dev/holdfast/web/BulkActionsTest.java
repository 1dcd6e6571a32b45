package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.QuestionTooSlowException;
import dev.holdfast.queue.StatementRefusedException;
import dev.holdfast.testing.LogLines;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.web.BulkAction.Progress;
import dev.holdfast.web.BulkAction.Refusal;
import java.time.Duration;
import java.util.Iterator;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

class BulkActionsTest {
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final BulkActions actions = new BulkActions();

  @AfterEach
  void close() {
    actions.close();
  }

  private BulkAction start(Iterator<Long> ids, LongConsumer change) {
    return actions.start(BulkActions.newId(), "released", ids, Long::longValue, change::accept);
  }

  private static Iterator<Long> ids(long last) {
    return LongStream.rangeClosed(1, last).iterator();
  }

  private static Progress end(BulkAction bulk) throws InterruptedException {
    assertThat(bulk.await(PATIENCE)).as("%s", bulk.progress()).isTrue();
    return bulk.progress();
  }

  private static LongConsumer failingAt(long ticket, RuntimeException failure) {
    return id -> {
      if (id == ticket) {
        throw failure;
      }
    };
  }

  @Test
  @DisplayName("a ticket that refuses is named with its reason, and the others go on")
  void refusal() throws InterruptedException {
    BulkAction bulk =
        start(
            ids(4),
            id -> {
              if (id == 2) {
                throw new NotFoundException("there is no ticket " + id);
              }
              if (id == 3) {
                throw new InvalidInputException("guidance: too long");
              }
            });
    Progress progress = end(bulk);
    assertThat(progress.done()).isEqualTo(2);
    assertThat(bulk.progress().done()).isEqualTo(2);
    assertThat(progress.refused()).isEqualTo(2);
    assertThat(progress.refusals()).extracting(Refusal::id).containsExactly(2L, 3L);
    assertThat(progress.refusals().getLast().detail()).isEqualTo("guidance: too long");
    assertThat(progress.problem()).isNull();
    assertThat(progress.finished()).isTrue();
  }

  @Test
  @DisplayName("without the database it stops, and says so and how far it came")
  void databaseAway() throws InterruptedException {
    DatabaseUnavailableException away = new DatabaseUnavailableException("no connection", null);
    BulkAction bulk = start(ids(9), failingAt(4, away));
    Progress progress = end(bulk);
    assertThat(bulk.progress().done()).isEqualTo(3);
    assertThat(progress.refused()).isZero();
    assertThat(progress.problem()).contains("the database could not be reached after 3 tickets");
  }

  @Test
  @DisplayName(
      "a ticket that the database alone refuses, by a trigger or as another transaction has it"
          + " locked for long, is named with its reason, and the others go on")
  void databaseRefusesOne() throws InterruptedException {
    BulkAction bulk =
        start(
            ids(4),
            id -> {
              if (id == 1) {
                throw new StatementRefusedException("the database refused it: not ann's", null);
              }
              if (id == 2) {
                throw new QuestionTooSlowException("canceling statement", null);
              }
            });
    Progress progress = end(bulk);
    assertThat(progress.problem()).isNull();
    assertThat(progress.done()).isEqualTo(2);
    assertThat(progress.refusals()).extracting(Refusal::id).containsExactly(1L, 2L);
    assertThat(progress.refusals().getFirst().detail()).contains("not ann's");
    assertThat(progress.refusals().getLast().detail()).contains("locked", "web.statement-timeout");
  }

  @Test
  @DisplayName("three tickets in a row that are too slow stop it: each takes the whole time-out")
  void tooSlowInARow() throws InterruptedException {
    BulkAction bulk =
        start(
            ids(9),
            id -> {
              if (id == 1 || id == 2 || id > 3) {
                throw new QuestionTooSlowException("canceling statement", null);
              }
            });
    Progress progress = end(bulk);
    assertThat(progress.problem()).contains("3 tickets one after the other", "after 6 tickets");
    assertThat(progress.done()).isEqualTo(1);
    assertThat(progress.refused()).isEqualTo(5);
  }

  @Test
  @DisplayName("what the database would refuse of each ticket stops it, and is told as it is")
  void databaseRefusesAll() throws InterruptedException {
    RuntimeException denied =
        new StatementRefusedException.RightMissing("permission denied: GRANT the role", null);
    Progress progress = end(start(ids(9), failingAt(4, denied)));
    assertThat(progress.done()).isEqualTo(3);
    assertThat(progress.refused()).isZero();
    assertThat(progress.problem())
        .contains("permission denied: GRANT the role", "after 3 tickets")
        .doesNotContain("could not be reached");
  }

  @Test
  @ResourceLock(Resources.GLOBAL)
  @DisplayName("a bug stops it, is logged as an error, and is not taken for the database")
  void bug() throws InterruptedException {
    try (LogLines lines = new LogLines(BulkAction.class)) {
      BulkAction bulk = start(ids(9), failingAt(2, new IllegalStateException("a bug")));
      Progress progress = end(bulk);
      assertThat(bulk.progress().done()).isEqualTo(1);
      assertThat(progress.refused()).isZero();
      assertThat(progress.problem())
          .contains("a fault of Holdfast's")
          .contains("after 1 ticket;")
          .doesNotContain("database");
      assertThat(lines.of(Level.ERROR)).hasSize(1);
    }
  }

  @Test
  @DisplayName("what cannot be read further ends it too, and is no ticket's refusal")
  void unreadable() throws InterruptedException {
    Iterator<Long> broken =
        LongStream.rangeClosed(1, 3)
            .peek(
                id -> {
                  if (id == 3) {
                    throw new DatabaseUnavailableException("no connection", null);
                  }
                })
            .iterator();
    Progress progress = end(start(broken, id -> {}));
    assertThat(progress.done()).isEqualTo(2);
    assertThat(progress.refused()).isZero();
    assertThat(progress.problem()).contains("database");
  }

  @Test
  @DisplayName("told to stop it ends after the ticket it is at; told at its end it was not stopped")
  void stop() throws InterruptedException {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch ordered = new CountDownLatch(1);
    BulkAction bulk =
        start(
            ids(9),
            id -> {
              begun.countDown();
              awaitQuietly(ordered);
            });
    assertThat(begun.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    assertThat(bulk.isFinished()).isFalse();
    bulk.stop();
    ordered.countDown();
    Progress progress = end(bulk);
    assertThat(bulk.progress().done()).isEqualTo(1);
    assertThat(progress.problem()).isEqualTo("it was stopped");

    BulkAction whole = start(ids(2), id -> {});
    end(whole);
    whole.stop();
    assertThat(whole.progress().problem()).isNull();
  }

  @Test
  @DisplayName("what is at work is found however many came later; the oldest that ended are not")
  void kept() throws InterruptedException {
    CountDownLatch over = new CountDownLatch(1);
    BulkAction slow = start(ids(1), id -> awaitQuietly(over));
    BulkAction first = start(ids(1), id -> {});
    end(first);
    for (int i = 0; i < 50; i++) {
      end(start(ids(1), id -> {}));
    }
    assertThat(actions.find(slow.id())).containsSame(slow);
    assertThat(actions.find(first.id())).isEmpty();
    over.countDown();
    assertThat(end(slow).done()).isEqualTo(1);
  }

  private static void awaitQuietly(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }
}
