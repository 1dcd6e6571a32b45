package dev.holdfast.postgres.inbox;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.CallDecision;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.RequestRepeatedException;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketInbox.RequestKey;
import dev.holdfast.queue.UndoneTickets.Undone;
import dev.holdfast.schema.Question;
import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.TicketState;
import dev.holdfast.tool.workspace.WorkspaceTools;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public final class PostgresTicketDesk implements TicketDesk {
  private static final String DEFAULT_SCHEMA = "holdfast";

  /** The number of tickets of a release that are taken back in one transaction. */
  private static final int PORTION = 500;

  private final Transactions transactions;
  private final Sql sql;
  private final NewTicketRules rules;
  private final Terms terms;

  public PostgresTicketDesk(DataSource dataSource) {
    this(dataSource, DEFAULT_SCHEMA);
  }

  public PostgresTicketDesk(DataSource dataSource, String schema) {
    this(dataSource, schema, PostgresTicketInbox.DEFAULT_MAX_PAYLOAD_BYTES);
  }

  /**
   * @param maxPayloadBytes the longest payload after an edit, in bytes of UTF-8
   */
  public PostgresTicketDesk(DataSource dataSource, String schema, int maxPayloadBytes) {
    this(new Transactions(dataSource), new Sql(schema), maxPayloadBytes);
  }

  /**
   * Makes a desk like {@link #PostgresTicketDesk(DataSource, String, int)}, also for use inside a
   * transaction.
   */
  public PostgresTicketDesk(Transactions transactions, Sql sql, int maxPayloadBytes) {
    this(transactions, sql, new NewTicketRules(PayloadLimits.of(maxPayloadBytes)), Terms.NONE);
  }

  /**
   * The terms of an action: the version that was seen, its key, the release that it is part of, and
   * when the order that it is part of began.
   */
  private record Terms(
      @Nullable String version, @Nullable RequestKey key, @Nullable String release, String began) {
    static final Terms NONE = new Terms(null, null, null, "");
  }

  private PostgresTicketDesk(
      Transactions transactions, Sql sql, NewTicketRules rules, Terms terms) {
    this.transactions = transactions;
    this.sql = sql;
    this.rules = rules;
    this.terms = terms;
  }

  @Override
  public TicketDesk onVersion(String seen) {
    return new PostgresTicketDesk(
        transactions, sql, rules, new Terms(seen, terms.key, terms.release, terms.began));
  }

  @Override
  public TicketDesk through(Channel channel) {
    return new PostgresTicketDesk(transactions.through(channel), sql, rules, terms);
  }

  @Override
  public TicketDesk once(RequestKey key) {
    return new PostgresTicketDesk(
        transactions, sql, rules, new Terms(terms.version, key, terms.release, terms.began));
  }

  @Override
  public TicketDesk releasingAs(String release) {
    return new PostgresTicketDesk(
        transactions, sql, rules, new Terms(terms.version, terms.key, release, terms.began));
  }

  @Override
  public int releasedAs(String release) {
    String count = "SELECT count(*) FROM holdfast.released_holds WHERE release_key = :release";
    return Integer.parseInt(
        transactions.runStatement(
            handle -> call(handle, count, query -> query.bind("release", release))));
  }

  @Override
  public TicketDesk asOneOrder() {
    String now =
        transactions.runStatement(
            handle -> call(handle, "SELECT clock_timestamp()::text", query -> query));
    return new PostgresTicketDesk(
        transactions, sql, rules, new Terms(terms.version, terms.key, terms.release, now));
  }

  @Override
  public TicketState release(
      long ticketId,
      String actor,
      @Nullable String guidance,
      Retries retries,
      Conversation conversation) {
    return act(
        ticketId,
        actor,
        "SELECT holdfast.release_ticket(:id, :actor, :guidance, :keep, :fresh)"
            + " FROM set_config('holdfast.release_key', :release, true)",
        call ->
            call.bind("release", terms.release == null ? "" : terms.release)
                .bind("guidance", guidance)
                .bind("keep", retries == Retries.KEEP)
                .bind("fresh", conversation == Conversation.START_OVER));
  }

  @Override
  public TicketState hold(long ticketId, String actor, String reason) {
    return act(
        ticketId,
        actor,
        "SELECT holdfast.hold_ticket(:id, :actor, :reason)",
        call -> call.bind("reason", reason));
  }

  @Override
  public TicketState cancel(long ticketId, String actor, @Nullable String reason) {
    return act(
        ticketId,
        actor,
        "SELECT holdfast.cancel_ticket(:id, :actor, :reason)",
        call -> call.bind("reason", reason));
  }

  @Override
  public TicketState decideCall(long ticketId, String actor, CallDecision decision) {
    if (decision.approve() && decision.arguments() != null && !decision.remember()) {
      checkArguments(ticketId, decision.call(), decision.arguments());
    }
    return act(
        ticketId,
        actor,
        "SELECT holdfast.decide_tool_call(:id, :actor, :decision, :call, :arguments::jsonb, :words,"
            + " :remember)",
        call ->
            call.bind("actor", actor)
                .bind("decision", decision.approve() ? "approve" : "deny")
                .bind("call", decision.call())
                .bind("arguments", decision.arguments())
                .bind("words", decision.words())
                .bind("remember", decision.remember()));
  }

  /**
   * Checks the arguments. SQL checks the rest, but knows no tool: arguments that do not fit would
   * use up the approval.
   */
  private void checkArguments(long ticketId, @Nullable Long call, String arguments) {
    JsonNode changed = Question.json(arguments);
    String tool = changed.isObject() ? waitingTool(ticketId, call) : "";
    String problem = WorkspaceTools.problem(tool, changed);
    if (!problem.isEmpty()) {
      throw new InvalidInputException(tool + " does not take that: " + problem);
    }
  }

  /** Returns the tool whose call is decided; "" if none or several wait, which SQL refuses. */
  private String waitingTool(long ticketId, @Nullable Long call) {
    return transactions.runStatement(
        handle ->
            call(
                handle,
                "SELECT CASE WHEN count(*) = 1 THEN min(tool) ELSE '' END"
                    + " FROM holdfast.waiting_tool_calls"
                    + " WHERE ticket_id = :id AND call = COALESCE(CAST(:call AS bigint), call)",
                query -> query.bind("id", ticketId).bind("call", call)));
  }

  @Override
  public TicketState answer(long ticketId, String actor, String answer) {
    asked(ticketId)
        .map(question -> question.problem(answer))
        .filter(problem -> !problem.isEmpty())
        .ifPresent(
            problem -> {
              throw new InvalidInputException(problem);
            });
    return act(
        ticketId,
        actor,
        "SELECT holdfast.answer_ticket(:id, :actor, CAST(:answer AS jsonb))",
        call -> call.bind("answer", answer));
  }

  /**
   * Returns the question. SQL checks the rest of an answer: whether a choice is one, who was first.
   */
  private Optional<Question> asked(long ticketId) {
    String question =
        transactions.runStatement(
            handle ->
                call(
                    handle,
                    "SELECT COALESCE(holdfast.asked_question(:id)::text, '')",
                    query -> query.bind("id", ticketId)));
    return question.isEmpty() ? Optional.empty() : Optional.of(Question.parse(question));
  }

  @Override
  public TicketState approve(long ticketId, String actor) {
    return act(
        ticketId, actor, "SELECT holdfast.approve_ticket(:id, :actor)", UnaryOperator.identity());
  }

  @Override
  public TicketState reject(long ticketId, String actor, String feedback) {
    return act(
        ticketId,
        actor,
        "SELECT holdfast.reject_ticket(:id, :actor, :feedback)",
        call -> call.bind("feedback", feedback));
  }

  @Override
  public TicketState abortRetry(long ticketId, String actor) {
    return act(
        ticketId, actor, "SELECT holdfast.abort_retry(:id, :actor)", UnaryOperator.identity());
  }

  @Override
  public boolean withdrawAbortRetry(long ticketId, String actor) {
    return transactions.run(
        handle ->
            handle
                .createQuery(sql.inSchema("SELECT holdfast.withdraw_abort_retry(:id, :actor)"))
                .bind("id", ticketId)
                .bind("actor", actor)
                .mapTo(Boolean.class)
                .one());
  }

  @Override
  public TicketState setAutoRetry(long ticketId, String actor, AutoRetry autoRetry) {
    return act(
        ticketId,
        actor,
        "SELECT holdfast.set_auto_retry(:id, :actor, :enabled)",
        call -> call.bind("enabled", autoRetry == AutoRetry.ON));
  }

  @Override
  public TicketState unrelease(long ticketId, String actor) {
    return act(
        ticketId, actor, "SELECT holdfast.unrelease_ticket(:id, :actor)", UnaryOperator.identity());
  }

  @Override
  public List<Undone> undoSome(String release, String actor, Duration within) {
    return transactions.run(
        handle ->
            handle
                .createQuery(
                    sql.inSchema(
                        "SELECT * FROM holdfast.undo_release(:release, :actor, :most,"
                            + " make_interval(secs => :within))"))
                .bind("release", release)
                .bind("actor", actor)
                .bind("most", PORTION)
                .bind("within", within.toMillis() / 1_000.0)
                .map(
                    (row, context) ->
                        new Undone(
                            row.getLong("ticket_id"),
                            TicketState.ofWireName(row.getString("state")).orElseThrow(),
                            row.getBoolean("taken_back")))
                .list());
  }

  @Override
  public TicketState useDesign(long ticketId, String actor, @Nullable Integer version) {
    return act(
        ticketId,
        actor,
        "SELECT holdfast.use_design(:id, :actor, :version)",
        call -> call.bind("version", version));
  }

  @Override
  public TicketState editPayload(long ticketId, String actor, String payload) {
    rules.checkPayload(payload);
    return act(
        ticketId,
        actor,
        "SELECT holdfast.edit_payload(:id, :actor, CAST(:payload AS jsonb))",
        call -> call.bind("payload", payload));
  }

  @Override
  public TicketState assign(long ticketId, @Nullable String assignee, String actor) {
    return act(
        ticketId,
        actor,
        "SELECT holdfast.assign_ticket(:id, :assignee, :actor)",
        call -> call.bind("assignee", assignee));
  }

  @Override
  public long replay(long ticketId, String actor, String fromStep) {
    return Long.parseLong(
        transactions.run(
            handle -> {
              takeKey(handle, ticketId);
              requireVersion(handle, ticketId, actor);
              return call(
                  handle,
                  "SELECT holdfast.replay_ticket(:id, :actor, :step)",
                  query -> query.bind("id", ticketId).bind("actor", actor).bind("step", fromStep));
            }));
  }

  @Override
  public void pauseQueue(String queue, String actor) {
    call(
        "SELECT holdfast.pause_queue(:queue, :actor)",
        call -> call.bind("queue", queue).bind("actor", actor));
  }

  @Override
  public void resumeQueue(String queue, String actor) {
    call(
        "SELECT holdfast.resume_queue(:queue, :actor)",
        call -> call.bind("queue", queue).bind("actor", actor));
  }

  private TicketState act(
      long ticketId, String actor, String statement, UnaryOperator<Query> arguments) {
    String state =
        transactions.run(
            handle -> {
              // The key comes first, because an action that was done has changed the version.
              takeKey(handle, ticketId);
              joinOrder(handle);
              requireVersion(handle, ticketId, actor);
              return call(
                  handle,
                  statement,
                  query -> arguments.apply(query.bind("id", ticketId).bind("actor", actor)));
            });
    return TicketState.ofWireName(state).orElseThrow();
  }

  private void takeKey(Handle handle, long ticketId) {
    RequestKey key = terms.key;
    if (key == null) {
      return;
    }
    String earlier =
        call(
            handle,
            "SELECT COALESCE(holdfast.take_request_key(:key, :request)::text, '')",
            query -> query.bind("key", key.key()).bind("request", key.request()));
    if (!earlier.isEmpty()) {
      throw new RequestRepeatedException(Long.parseLong(earlier));
    }
    call(
        handle,
        "SELECT '' FROM holdfast.keep_request_ticket(:key, :id)",
        query -> query.bind("key", key.key()).bind("id", ticketId));
  }

  /**
   * Joins the order: what it has done to a ticket before is no change that somebody has to look at.
   */
  private void joinOrder(Handle handle) {
    if (!terms.began.isEmpty()) {
      call(
          handle,
          "SELECT set_config('holdfast.order_began', :began, true)",
          query -> query.bind("began", terms.began));
    }
  }

  private void requireVersion(Handle handle, long ticketId, String actor) {
    String seen = terms.version;
    if (seen != null) {
      call(
          handle,
          "SELECT holdfast.require_version(:id, :version, :actor)",
          query -> query.bind("id", ticketId).bind("version", seen).bind("actor", actor));
    }
  }

  private void call(String statement, UnaryOperator<Query> arguments) {
    transactions.run(handle -> call(handle, statement, arguments));
  }

  private String call(Handle handle, String statement, UnaryOperator<Query> arguments) {
    return arguments.apply(handle.createQuery(sql.inSchema(statement))).mapTo(String.class).one();
  }
}
