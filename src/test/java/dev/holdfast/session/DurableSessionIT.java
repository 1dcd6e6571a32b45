package dev.holdfast.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.session.PostgresEventSink;
import dev.holdfast.postgres.session.PostgresJournalStore;
import dev.holdfast.postgres.session.PostgresRetryAborts;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.Route;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.tool.ToolReply;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Sessions over the journal in PostgreSQL. */
@WithDatabase
@Timeout(120)
class DurableSessionIT {
  private static final CallResult[] STORY = {
    Replies.look("a"),
    Replies.text("thinking aloud"),
    Replies.calls(Replies.call("a", "look", "{}"), Replies.call("b", "look", "{\"n\":1}")),
    Replies.overloaded(),
    Replies.look("c"),
    Replies.report()
  };

  /** Said, four answers, a discarded one, four results, the end. */
  private static final int APPENDS = 11;

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresJournalStore store;

  DurableSessionIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.store =
        new PostgresJournalStore(database.dataSource(), "holdfast", Sleeper.REAL, Secrets.NONE);
  }

  /** Stands for kill -9: nothing of the process runs on behind it. */
  private static final class Killed extends Error {
    private static final long serialVersionUID = 1;
  }

  /** Kills its process when so many appends have been kept. */
  private record Mortal(Journal journal, int[] left) implements Journal {
    @Override
    public void each(Consumer<JournalEntry> reader) {
      journal.each(reader);
    }

    @Override
    public void append(List<JournalEntry> entries) {
      journal.append(entries);
      if (--left[0] == 0) {
        throw new Killed();
      }
    }
  }

  private static Bench over(ScriptedProvider provider, Journal journal) {
    Bench bench = new Bench();
    bench.routes.add(new Route(new Target("one", "m"), provider));
    bench.journal = journal;
    return bench;
  }

  private static ScriptedProvider provider(CallResult... script) {
    ScriptedProvider provider = new ScriptedProvider("one");
    for (CallResult each : script) {
      provider.then(each);
    }
    return provider;
  }

  /** The attempt's lease runs out; the ticket is claimed anew. */
  private long nextLease(long id, long lease) {
    queue.expire(lease);
    queue.queue().rescue(100);
    queue.makeDue(id);
    return queue.claim();
  }

  @Test
  @DisplayName("5.1: killed behind any step, the next attempt repeats no model call and no tool")
  void killedAnywhere() {
    for (int killedAt = 1; killedAt <= APPENDS; killedAt++) {
      long id = queue.enqueue();
      long lease = queue.claim();
      ScriptedProvider provider = provider(STORY);
      List<ToolCall> ran = new ArrayList<>();
      Bench first = over(provider, new Mortal(store.open(id, lease), new int[] {killedAt}));
      assertThatThrownBy(first::run).as("killed at %s", killedAt).isInstanceOf(Killed.class);
      ran.addAll(first.tools.ran);

      long next = nextLease(id, lease);
      Bench second = over(provider, store.open(id, next));
      assertThat(second.run())
          .as("killed at %s", killedAt)
          .isInstanceOf(SessionResult.Reported.class);
      ran.addAll(second.tools.ran);

      assertThat(provider.calls()).as("calls, killed at %s", killedAt).isEqualTo(STORY.length);
      assertThat(ran).as("tools, killed at %s", killedAt).extracting(ToolCall::id).hasSize(4);
      provider.requests.forEach(request -> WellFormed.check(request.messages()));
      assertThatThrownBy(() -> store.open(id, lease).append(List.of(entry())))
          .isInstanceOf(IllegalTransitionException.class);
      queue.succeed(id, next);
    }
  }

  private static JournalEntry entry() {
    return new JournalEntry.Said(Input.task("late"));
  }

  @Test
  @DisplayName("5.1: killed before a tool that must not run twice, the next attempt asks a person")
  void unknownEffect() {
    long id = queue.enqueue();
    long lease = queue.claim();
    ScriptedProvider provider =
        provider(Replies.calls(Replies.call("s", "send", "{}")), Replies.report());
    Bench first = over(provider, new Mortal(store.open(id, lease), new int[] {3}));
    assertThatThrownBy(first::run).isInstanceOf(Killed.class);

    Bench second = over(provider, store.open(id, nextLease(id, lease)));

    assertThat(second.run()).isInstanceOf(SessionResult.UnknownEffect.class);
    assertThat(second.tools.ran).isEmpty();
    assertThat(provider.calls()).isEqualTo(1);
  }

  @Test
  @DisplayName("5.1: a session whose ticket a person takes away makes no further call")
  void takenAway() {
    long id = queue.enqueue();
    long lease = queue.claim();
    ScriptedProvider provider = provider(STORY);
    Bench bench = over(provider, store.open(id, lease));
    bench.tools.reaction =
        call -> {
          database.run("SELECT holdfast.cancel_ticket(?, 'ann')", id);
          return new ToolReply(call, ToolReply.Outcome.OK, "x", 1);
        };

    assertThatThrownBy(bench::run).isInstanceOf(IllegalTransitionException.class);
    assertThat(provider.calls()).isEqualTo(1);
  }

  /** Measured on demand: {@code -Dmeasure.sessions=200}. The figure is in docs/agents.md. */
  @Test
  @EnabledIfSystemProperty(named = "measure.sessions", matches = "[0-9]+")
  @DisplayName("5: how long a session of 200 turns takes from the claim to its next request")
  void resumeOfManyTurns() {
    for (int round = 0; round < 5; round++) {
      long id = queue.enqueue();
      long lease = queue.claim();
      Journal journal = store.open(id, lease);
      journal.append(List.of(entry()));
      for (int turn = 1; turn <= 200; turn++) {
        ToolCall call = Replies.call("c" + turn, "look", "{\"n\":" + turn + "}");
        journal.append(
            List.of(
                new JournalEntry.Answered(
                    turn,
                    1,
                    new Target("one", "m"),
                    List.of(),
                    new Message.Assistant("I look at " + turn, List.of(call)),
                    StopReason.TOOL_CALLS,
                    Replies.USAGE,
                    null,
                    true,
                    null)));
        journal.append(
            List.of(
                new JournalEntry.ToolFinished(
                    turn,
                    new ToolReply(call, ToolReply.Outcome.OK, "line of text\n".repeat(400), 1))));
      }
      long next = nextLease(id, lease);
      Bench bench = over(provider(Replies.report()), store.open(id, next)).maxTurns(300);
      long start = System.nanoTime();
      bench.run();
      System.out.println(
          "MEASURED resume of 200 turns: " + (System.nanoTime() - start) / 1_000_000 + " ms");
      assertThat(bench.calls()).isEqualTo(1);
      queue.succeed(id, next);
    }
  }

  @Test
  @DisplayName(
      "D27, D34, D36: abort_retry ends the retry that a session waits in; the stream tells")
  void abortRetry() throws Exception {
    long id = queue.enqueue();
    long lease = queue.claim();
    PostgresRetryAborts aborts = new PostgresRetryAborts(database.dataSource(), "holdfast");
    try (PostgresEventSink sink =
        new PostgresEventSink(database.dataSource(), "holdfast", System::nanoTime, Secrets.NONE)) {
      Bench bench = Bench.with(Replies.overloaded()).autoRetry().maxRetries(1);
      bench.sleeper.blocks = true;
      bench.journal = store.open(id, lease);
      bench.listeners.add(event -> sink.on(id, lease, event));
      Running running = Running.start(bench);
      bench.sleeper.blocked.await();
      assertThat(aborts.take(Set.of(id))).isEmpty();

      new PostgresTicketDesk(database.dataSource()).abortRetry(id, "ann");
      assertThat(aborts.take(Set.of(id + 1))).isEmpty();
      assertThat(aborts.take(Set.of(id))).containsExactly(id);
      bench.session().abortRetry();

      assertThat(running.result()).isInstanceOf(SessionResult.Failed.class);
      assertThat(aborts.take(Set.of(id))).as("given out once").isEmpty();
    }
    assertThat(
            database.column(
                "SELECT event FROM holdfast.session_events WHERE ticket_id = ? AND event LIKE"
                    + " 'auto%' ORDER BY id",
                id))
        .containsExactly("auto_retry_start", "auto_retry_end");
    assertThat(
            database.value(
                "SELECT details->>'finalError' FROM holdfast.session_events WHERE ticket_id = ? AND"
                    + " event = 'auto_retry_end'",
                id))
        .isEqualTo("Retry cancelled");
    assertThat(
            database.value(
                "SELECT actor FROM holdfast.ticket_activity WHERE ticket_id = ? AND action ="
                    + " 'retry_abort_ordered'",
                id))
        .isEqualTo("ann");
  }
}
