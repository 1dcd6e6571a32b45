package dev.holdfast.postgres.inbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.limit.NewLimit;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox.Named;
import dev.holdfast.queue.TicketInbox.RequestKey;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
@DisplayName("A request that counts once")
class RequestAnswersIT {
  private static final Sql SQL = new Sql("holdfast");

  private final TicketDatabase database;
  private final PostgresRequestAnswers answers;

  RequestAnswersIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.answers = new PostgresRequestAnswers(database.dataSource(), "holdfast");
  }

  private static PostgresTicketInbox inbox(Transactions transactions) {
    return new PostgresTicketInbox(transactions, SQL, PayloadLimits.of(10_000));
  }

  private long tickets(String kind) {
    return database.number("SELECT count(*) FROM holdfast.tickets WHERE kind = ?", kind);
  }

  @Test
  @DisplayName("is done again as a whole where it loses a deadlock, and told once")
  void deadlock() {
    RequestKey key = new RequestKey("of a deadlock", "a");
    AtomicInteger tries = new AtomicInteger();

    String told =
        answers
            .once(
                key,
                one -> {
                  long id = inbox(one).enqueue(NewTicket.ofKind("once"));
                  if (tries.incrementAndGet() == 1) {
                    one.run(
                        handle ->
                            handle.execute(
                                "DO $$ BEGIN RAISE 'lost' USING ERRCODE = '40P01'; END $$"));
                  }
                  return "{\"id\": " + id + "}";
                })
            .orElseThrow();

    assertThat(tries).hasValue(2);
    assertThat(tickets("once")).isEqualTo(1);
    assertThat(answers.once(key, one -> "another answer")).isEmpty();
    assertThat(answers.find(key).orElseThrow().answer()).isEqualTo(told);
  }

  @Test
  @DisplayName("leaves nothing of what any store did where it fails, and may be sent again")
  void failure() {
    RequestKey key = new RequestKey("of a failure", "a");
    NewTicket ticket = NewTicket.ofKind("all-or-none").withQueue("once");

    assertThatThrownBy(
            () ->
                answers.once(
                    key,
                    one -> {
                      inbox(one).enqueue(ticket);
                      inbox(one).enqueueAll(List.of(ticket, ticket).iterator());
                      inbox(one).enqueueBatch(List.of(ticket).iterator(), "ann", "gone");
                      inbox(one).enqueueGraph(List.of(new Named("a", ticket, List.of())));
                      new PostgresLimitDesk(one, SQL)
                          .through(Channel.API)
                          .set(new NewLimit("queue:once", 3, null, null, null), "ann");
                      new PostgresTicketDesk(one, SQL, 10_000).pauseQueue("once", "ann");
                      assertThat(tickets("all-or-none")).as("seen by others").isZero();
                      throw new IllegalStateException("the process ends");
                    }))
        .hasMessage("the process ends");

    assertThat(tickets("all-or-none")).isZero();
    assertThat(database.number("SELECT count(*) FROM holdfast.batches WHERE title = 'gone'"))
        .isZero();
    assertThat(database.number("SELECT count(*) FROM holdfast.limits WHERE scope = 'queue:once'"))
        .isZero();
    assertThat(
            database.number(
                "SELECT count(*) FROM holdfast.queues WHERE name = 'once' AND paused_at IS NOT"
                    + " NULL"))
        .isZero();
    assertThat(answers.once(key, one -> "done")).contains("done");
  }
}
