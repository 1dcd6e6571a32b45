package dev.holdfast.postgres;

import dev.holdfast.queue.CallDecision;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.ticket.TicketState;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;
import org.jdbi.v3.core.Jdbi;
import org.jdbi.v3.core.JdbiException;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** Calls the functions for people, the same ones that SQL users call. Thread-safe. */
public final class PostgresTicketDesk implements TicketDesk {
  private static final String DEFAULT_SCHEMA = "holdfast";
  private static final int TRIES = 3;

  private final Jdbi jdbi;
  private final Sql sql;

  public PostgresTicketDesk(DataSource dataSource) {
    this(dataSource, DEFAULT_SCHEMA);
  }

  public PostgresTicketDesk(DataSource dataSource, String schema) {
    this.jdbi = Jdbi.create(dataSource);
    this.sql = new Sql(schema);
  }

  @Override
  public TicketState release(
      long ticketId,
      String actor,
      @Nullable String guidance,
      Retries retries,
      Conversation conversation) {
    return act(
        "SELECT holdfast.release_ticket(:id, :actor, :guidance, :keep, :fresh)",
        call ->
            call.bind("id", ticketId)
                .bind("actor", actor)
                .bind("guidance", guidance)
                .bind("keep", retries == Retries.KEEP)
                .bind("fresh", conversation == Conversation.START_OVER));
  }

  @Override
  public TicketState hold(long ticketId, String actor, String reason) {
    return act(
        "SELECT holdfast.hold_ticket(:id, :actor, :reason)",
        call -> call.bind("id", ticketId).bind("actor", actor).bind("reason", reason));
  }

  @Override
  public TicketState cancel(long ticketId, String actor, @Nullable String reason) {
    return act(
        "SELECT holdfast.cancel_ticket(:id, :actor, :reason)",
        call -> call.bind("id", ticketId).bind("actor", actor).bind("reason", reason));
  }

  @Override
  public TicketState decideCall(long ticketId, String actor, CallDecision decision) {
    return act(
        "SELECT holdfast.decide_tool_call(:id, :actor, :decision, :call, :arguments::jsonb, :words,"
            + " :remember)",
        call ->
            call.bind("id", ticketId)
                .bind("actor", actor)
                .bind("decision", decision.approve() ? "approve" : "deny")
                .bind("call", decision.call())
                .bind("arguments", decision.arguments())
                .bind("words", decision.words())
                .bind("remember", decision.remember()));
  }

  @Override
  public TicketState approve(long ticketId, String actor) {
    return act(
        "SELECT holdfast.approve_ticket(:id, :actor)",
        call -> call.bind("id", ticketId).bind("actor", actor));
  }

  @Override
  public TicketState reject(long ticketId, String actor, String feedback) {
    return act(
        "SELECT holdfast.reject_ticket(:id, :actor, :feedback)",
        call -> call.bind("id", ticketId).bind("actor", actor).bind("feedback", feedback));
  }

  @Override
  public void abortRetry(long ticketId, String actor) {
    act(
        "SELECT holdfast.abort_retry(:id, :actor)",
        call -> call.bind("id", ticketId).bind("actor", actor));
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

  private TicketState act(String statement, UnaryOperator<Query> arguments) {
    return TicketState.ofWireName(call(statement, arguments)).orElseThrow();
  }

  private String call(String statement, UnaryOperator<Query> arguments) {
    String call = sql.inSchema(statement);
    for (int tries = 1; ; tries++) {
      try {
        return jdbi.withHandle(
            handle -> arguments.apply(handle.createQuery(call)).mapTo(String.class).one());
      } catch (JdbiException e) {
        // A person's word is not lost because a rescue of the same lease went the other way round.
        if (tries == TRIES || !SqlErrors.isWorthAnotherTry(e)) {
          throw SqlErrors.translate(e);
        }
      }
    }
  }
}
