package dev.holdfast.postgres.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.queue.CallDecision;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.session.approval.ApprovalStore.Approval;
import dev.holdfast.session.approval.ApprovalStore.Asked;
import dev.holdfast.session.approval.ApprovalStore.Decision;
import dev.holdfast.testing.AtOnce;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class ToolApprovalsIT {
  private static final Asked RUN = asked(1, "c1", "run_command", "{\"command\":\"make\"}");
  private static final Asked WRITE = asked(1, "c2", "write_file", "{\"path\":\"a\"}");
  private static final List<String> ACTIONS =
      List.of("approve_call", "approve_call_with_changes", "deny_call", "cancel");

  private static final String VALID =
      "SELECT count(*) FROM holdfast.tool_approvals WHERE ticket_id = ? AND voided_at IS NULL";

  private final TicketDatabase database;
  private final TestQueue queue;
  private final PostgresTicketDesk desk;
  private final PostgresTicketReader reader;
  private final PostgresApprovalStore store;

  ToolApprovalsIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.desk = new PostgresTicketDesk(database.dataSource());
    this.reader = new PostgresTicketReader(database.dataSource());
    this.store = new PostgresApprovalStore(database.dataSource(), "holdfast");
  }

  @AfterEach
  void nothingIsLost() {
    database.assertNoTicketIsLost();
  }

  private static Asked asked(int answer, String callId, String tool, String arguments) {
    return new Asked(answer, answer, callId, tool, arguments, "it \0 does", tool + arguments);
  }

  private static CallDecision decision(boolean approve, @Nullable Long call) {
    return new CallDecision(approve, call, null, null, false);
  }

  private FinishResult park(long id, long lease) {
    return queue
        .queue()
        .finish(
            List.of(new Finish.Parked(id, lease, "approval", ACTIONS, "{\"calls\": []}")),
            List.of(lease))
        .getFirst();
  }

  /** A ticket that waits for these calls. */
  private long parked(Asked... calls) {
    long id = queue.enqueue();
    long lease = queue.claim();
    store.ask(id, lease, List.of(calls));
    assertThat(park(id, lease)).isInstanceOf(FinishResult.Parked.class);
    return id;
  }

  private ToolCallRow call(long id, int index) {
    return reader.toolCalls(id).get(index);
  }

  @Test
  @DisplayName("5.4: a parked ticket is on hold with what a person may do, and uses up no retry")
  void park() {
    long id = queue.enqueue();
    long lease = queue.claim();
    store.ask(id, lease, List.of(RUN));

    assertThat(park(id, lease)).isEqualTo(new FinishResult.Parked(id, "approval"));
    assertThat(park(id, lease)).as("its answer was lost").isInstanceOf(FinishResult.Parked.class);

    assertThat(database.ticket(id))
        .containsEntry("state", "on_hold")
        .containsEntry("hold_reason", "approval")
        .containsEntry("retry_count", "0")
        .containsEntry("attempt_count", "1")
        .containsEntry(
            "allowed_actions", "{approve_call,approve_call_with_changes,deny_call,cancel}");
    assertThat(database.outcomes(id)).containsExactly("parked");
    assertThat(
            database.value(
                "SELECT details->>'reason' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                    + " action = 'held'",
                id))
        .isEqualTo("approval");
    assertThat(
            database.value(
                "SELECT effect FROM holdfast.waiting_tool_calls WHERE ticket_id = ?", id))
        .isEqualTo("it  does");
    assertThat(park(id, lease + 1)).isInstanceOf(FinishResult.Stale.class);
  }

  @Test
  @DisplayName("5.4: a release does not approve, however it is made")
  void releaseIsNoApproval() {
    long id = parked(RUN);

    assertThatThrownBy(() -> desk.release(id, "ann", "go on", TicketDesk.Retries.RESET))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("allows approve_call, approve_call_with_changes, deny_call, cancel");
    assertThatThrownBy(
            () -> database.run("UPDATE holdfast.tickets SET state = 'ready' WHERE id = ?", id))
        .rootCause()
        .hasMessageContaining("does not allow release");
    assertThat(call(id, 0).waits()).isTrue();
  }

  @Test
  @DisplayName("5.4: each call of a turn is decided; the last one sends the ticket back to work")
  void severalCalls() {
    long id = parked(RUN, WRITE);
    long first = call(id, 0).id();
    long second = call(id, 1).id();

    assertThatThrownBy(() -> desk.decideCall(id, "ann", decision(true, null)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("2 calls that wait: " + first + " (run_command), " + second)
        .hasMessageContaining("--call N");
    assertThat(desk.decideCall(id, "ann", decision(true, first))).isEqualTo(TicketState.ON_HOLD);
    assertThatThrownBy(() -> desk.decideCall(id, "bob", decision(false, first)))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("was approved by ann at");
    assertThat(desk.decideCall(id, "bob", new CallDecision(false, null, null, " not here ", false)))
        .isEqualTo(TicketState.READY);

    List<Approval> known = store.ask(id, queue.claim(), List.of(RUN, WRITE));
    assertThat(known.getFirst().decision()).isEqualTo(Decision.APPROVED);
    assertThat(known.getLast())
        .isEqualTo(new Approval(second, Decision.DENIED, "bob", "not here", null, null));
    assertThat(
            database.column(
                "SELECT actor || ' ' || action FROM holdfast.ticket_activity WHERE ticket_id = ?"
                    + " AND action LIKE 'call%' ORDER BY id",
                id))
        .containsExactly("ann call_approved", "bob call_denied");
  }

  @Test
  @DisplayName("5.4: a look at what is decided asks nobody")
  void known() {
    long id = parked(RUN);
    desk.decideCall(id, "ann", new CallDecision(false, null, null, "not here", false));

    List<Approval> known = store.known(id, List.of(RUN, WRITE));

    assertThat(known.getFirst().words()).isEqualTo("not here");
    assertThat(known.getLast()).isEqualTo(Approval.NOT_ASKED);
    assertThat(reader.toolCalls(id)).hasSize(1);
  }

  @Test
  @DisplayName("5.4: of two releases of one approval exactly one wins, the other is told who did")
  void twoPeople() throws Exception {
    for (int round = 0; round < 5; round++) {
      long id = parked(RUN);
      List<Object> ends =
          AtOnce.run(() -> decided(id, "ann", true), () -> decided(id, "bob", false));
      ToolCallRow decided = call(id, 0);
      assertThat(ends).contains(TicketState.READY);
      assertThat(ends.stream().filter(String.class::isInstance))
          .singleElement()
          .asString()
          .contains(decided.decidedBy() + " was the last to act on it (call_" + decided.decision());
      queue.giveBack(id, queue.claim());
      database.run("SELECT holdfast.cancel_ticket(?, 'ann')", id);
    }
  }

  private Object decided(long id, String who, boolean approve) {
    try {
      return desk.decideCall(id, who, decision(approve, null));
    } catch (IllegalTransitionException e) {
      return String.valueOf(e.getMessage());
    }
  }

  @Test
  @DisplayName("5.4: an edit replaces the arguments, and what is approved is bound by its hash")
  void edited() {
    long id = parked(RUN);
    String edit = "{\"command\": \"make test\"}";

    desk.decideCall(id, "ann", new CallDecision(true, null, edit, null, false));

    Approval approval = store.ask(id, queue.claim(), List.of(RUN)).getFirst();
    assertThat(approval.arguments()).isEqualTo(edit);
    assertThat(approval.hash())
        .isEqualTo(
            database.value(
                "SELECT encode(sha256(convert_to(E'run_command\\n' || ?, 'UTF8')), 'hex')", edit));
  }

  @Test
  @DisplayName("5.4: changed arguments that the tool does not take use up no approval")
  void misfit() {
    long id = parked(RUN, asked(1, "c3", "mcp__files__read", "{}"));
    long run = call(id, 0).id();
    CallDecision misfit = new CallDecision(true, run, "{\"cmd\": \"make\"}", null, false);

    assertThatThrownBy(() -> desk.decideCall(id, "ann", misfit))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("run_command does not take that: ")
        .hasMessageContaining("unknown key \"cmd\"");

    assertThat(call(id, 0).waits()).isTrue();
    desk.decideCall(id, "ann", new CallDecision(true, call(id, 1).id(), "{\"a\": 1}", null, false));
    desk.decideCall(
        id, "ann", new CallDecision(true, null, "{\"command\": [\"make\"]}", null, false));
    assertThat(call(id, 0).waits()).isFalse();
  }

  @Test
  @DisplayName("5.4: a remembered approval holds for its tool, shape and ticket, never wider")
  void remembered() {
    long id = parked(RUN);
    desk.decideCall(id, "ann", new CallDecision(true, null, null, null, true));
    long lease = queue.claim();
    Asked same = asked(2, "c1", "run_command", "{\"command\":\"make\"}");
    Asked other = asked(2, "c2", "run_command", "{\"command\":\"make install\"}");
    Asked otherTool = new Asked(2, 2, "c3", "apply_patch", RUN.arguments(), "", RUN.shape());

    List<Approval> known = store.ask(id, lease, List.of(same, other, otherTool));

    assertThat(known)
        .extracting(Approval::decision)
        .containsExactly(Decision.APPROVED, Decision.NONE, Decision.NONE);
    assertThat(call(id, 1).rememberedFrom()).isEqualTo(call(id, 0).id());
    assertThat(call(id, 1).decidedBy()).isEqualTo("ann");
    long second = queue.enqueue();
    assertThat(store.ask(second, queue.claim(), List.of(RUN)).getFirst().decision())
        .as("another ticket")
        .isEqualTo(Decision.NONE);

    park(id, lease);
    database.run("SELECT holdfast.decide_tool_call(?, 'ann', 'deny', ?)", id, call(id, 2).id());
    database.run("SELECT holdfast.decide_tool_call(?, 'ann', 'deny', ?)", id, call(id, 3).id());
    long next = queue.claim();
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'stop')", id);
    desk.release(id, "ann", null, TicketDesk.Retries.RESET, TicketDesk.Conversation.START_OVER);
    assertThatThrownBy(() -> store.ask(id, next, List.of(same)))
        .as("a stale attempt asks nobody")
        .isInstanceOf(IllegalTransitionException.class);
    assertThat(store.ask(id, queue.claim(), List.of(RUN)).getFirst().decision())
        .as("a session that starts over")
        .isEqualTo(Decision.NONE);
  }

  @Test
  @DisplayName("5.4: what was approved holds again when a release with a new session is undone")
  void undone() {
    long id = parked(RUN);
    desk.decideCall(id, "ann", new CallDecision(true, null, null, null, true));
    desk.hold(id, "ann", "wait");
    assertThat(database.number(VALID, id)).isOne();

    desk.release(id, "bob", null, TicketDesk.Retries.RESET, TicketDesk.Conversation.START_OVER);
    assertThat(database.number(VALID, id)).as("a new session").isZero();
    desk.unrelease(id, "bob");
    assertThat(database.number(VALID, id)).as("as if it had not been").isOne();
  }

  @Test
  @DisplayName("5.4: wrong decisions are refused with a next step")
  void badDecisions() {
    long id = parked(RUN);
    assertThatThrownBy(() -> desk.decideCall(id, " ", decision(true, null)))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(() -> desk.decideCall(id, "ann", decision(true, 999_999L)))
        .isInstanceOf(NotFoundException.class)
        .hasMessageContaining("holdfast show " + id);
    assertThatThrownBy(
            () -> desk.decideCall(id, "ann", new CallDecision(true, null, "[1]", null, false)))
        .isInstanceOf(InvalidInputException.class)
        .hasMessageContaining("must be a JSON object");
    assertThatThrownBy(
            () -> desk.decideCall(id, "ann", new CallDecision(true, null, "{}", null, true)))
        .isInstanceOf(InvalidInputException.class);
    assertThatThrownBy(
            () -> desk.decideCall(id, "ann", new CallDecision(false, null, null, null, true)))
        .isInstanceOf(InvalidInputException.class);
    long ready = queue.enqueue();
    assertThatThrownBy(() -> desk.decideCall(ready, "ann", decision(true, null)))
        .isInstanceOf(IllegalTransitionException.class)
        .hasMessageContaining("it is ready");
    assertThat(call(id, 0).waits()).isTrue();
  }

  @Test
  @DisplayName(
      "5.4: a call that was left for a person's guidance, before its ticket was parked, waits no"
          + " longer beside those of a later answer")
  void leftBeforeItWasParked() {
    long id = queue.enqueue();
    store.ask(id, queue.claim(), List.of(RUN));
    desk.hold(id, "ann", "it is in the way");
    desk.release(id, "ann", "do it in another way", TicketDesk.Retries.RESET);
    long lease = queue.claim();
    store.ask(id, lease, List.of(asked(2, "c3", "write_file", "{}")));
    park(id, lease);

    assertThat(desk.decideCall(id, "ann", decision(true, null))).isEqualTo(TicketState.READY);
    assertThat(call(id, 0).waits()).isFalse();
  }

  @Test
  @DisplayName("5.4: calls go with their ticket")
  void deleted() {
    long id = parked(RUN);
    desk.cancel(id, "ann", null);
    database.run("DELETE FROM holdfast.tickets WHERE id = ?", id);

    assertThat(reader.toolCalls(id)).isEmpty();
  }
}
