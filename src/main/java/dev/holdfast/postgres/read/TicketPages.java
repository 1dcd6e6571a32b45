package dev.holdfast.postgres.read;

import dev.holdfast.postgres.Sql;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.ticket.TicketState;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import org.jdbi.v3.core.statement.Query;
import org.jdbi.v3.core.statement.StatementContext;
import org.jdbi.v3.core.statement.StatementCustomizer;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGStatement;

/** The statements that find a page of tickets by a filter, and their parameters. Thread-safe. */
final class TicketPages {
  /** The number of tickets that a window looks at if no index serves its filter. */
  static final int WINDOW = 20_000;

  /**
   * Has each statement planned anew: a filter that is not set must cost nothing, and a plan for all
   * filters would pay for each.
   */
  static final StatementCustomizer PLANNED_EACH_TIME =
      new StatementCustomizer() {
        @Override
        public void beforeExecution(PreparedStatement statement, StatementContext context)
            throws SQLException {
          if (statement.isWrapperFor(PGStatement.class)) {
            statement.unwrap(PGStatement.class).setPrepareThreshold(0);
          }
        }
      };

  private final String all;
  private final String held;
  private final String running;
  private final String allEnd;
  private final String heldEnd;
  private final String heldIds;

  TicketPages(Sql sql) {
    this.all = sql.load("list_tickets");
    this.held = sql.load("list_held_tickets");
    this.running = sql.load("list_running_tickets");
    this.allEnd = sql.load("list_tickets_end");
    this.heldEnd = sql.load("list_held_tickets_end");
    this.heldIds = sql.load("held_ticket_ids");
  }

  /** Returns the statement for the ids of a page. */
  String ids(TicketFilter filter) {
    return filter.state() == TicketState.ON_HOLD
        ? held
        : filter.state() == TicketState.IN_PROGRESS ? running : all;
  }

  /**
   * Returns the statement for the last id that a window has looked at; not for running tickets,
   * which are all looked at.
   */
  String windowEnd(TicketFilter filter) {
    return filter.state() == TicketState.ON_HOLD ? heldEnd : allEnd;
  }

  String heldIds() {
    return heldIds;
  }

  /**
   * @param window how many tickets are looked at; null for all
   */
  static Query bind(Query query, TicketFilter filter, @Nullable Integer window) {
    @Nullable TicketState state = filter.state();
    String fingerprint = filter.fingerprint();
    boolean isStart = filter.hasStartOfFingerprint();
    return query
        .addCustomizer(PLANNED_EACH_TIME)
        .configure(
            org.jdbi.v3.core.statement.SqlStatements.class,
            statements -> statements.setUnusedBindingAllowed(true))
        .bind("state", state == null ? null : state.wireName())
        .bind("queue", filter.queue())
        .bind("kind", filter.kind())
        .bind("design", filter.design())
        .bind("category", filter.category())
        .bind("fingerprint", isStart ? null : fingerprint)
        .bind("prefix", isStart ? fingerprint : null)
        .bind("text", filter.textPattern())
        .bind("from", time(filter.createdFrom()))
        .bind("until", time(filter.createdBefore()))
        .bind("assignee", filter.assignee())
        .bind("batch", filter.batchId())
        .bind("before", filter.beforeId())
        .bind("limit", filter.limit())
        .bind("window", window);
  }

  static @Nullable OffsetDateTime time(@Nullable Instant instant) {
    return instant == null ? null : instant.atOffset(ZoneOffset.UTC);
  }
}
