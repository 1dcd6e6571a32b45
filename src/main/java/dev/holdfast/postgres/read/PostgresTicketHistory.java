package dev.holdfast.postgres.read;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.read.AttemptRow;
import dev.holdfast.queue.read.Newest;
import dev.holdfast.queue.read.TicketHistory;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.ticket.Guidance;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.mapper.RowMapper;

/** Reads the newest part of a ticket's history, in a size for which any reader has memory. */
final class PostgresTicketHistory {
  /** The columns of an AttemptRow. */
  static final String ATTEMPT_COLUMNS =
      """
      a.ticket_id, a.lease_no, a.attempt, a.worker_id, a.started_at, a.finished_at, a.outcome, a.category, a.rule, a.fingerprint,
      a.http_status, holdfast.shorten(a.error, 100000) AS error, holdfast.error_name(a.error_title, a.error) AS error_title,
      holdfast.readable(a.result) AS result
      """;

  static final String GUIDANCE_COLUMNS =
      """
      holdfast.shorten(g.guidance, 100000) AS guidance, g.author, g.source, g.created_at, g.question, g.answer::text AS answer
      """;

  private static final String ATTEMPTS =
      """
      SELECT row_number() OVER (ORDER BY a.lease_no DESC) AS place,
        (SELECT count(*) FROM holdfast.ticket_attempts c WHERE c.ticket_id = :id) AS total,
        %s
      FROM holdfast.ticket_attempts a WHERE a.ticket_id = :id ORDER BY a.lease_no DESC LIMIT 1000
      """
          .formatted(ATTEMPT_COLUMNS);
  private static final String GUIDANCE =
      """
      SELECT row_number() OVER (ORDER BY g.id DESC) AS place,
        (SELECT count(*) FROM holdfast.ticket_guidance c WHERE c.ticket_id = :id) AS total,
        %s
      FROM holdfast.ticket_guidance g WHERE g.ticket_id = :id ORDER BY g.id DESC LIMIT 1000
      """
          .formatted(GUIDANCE_COLUMNS);
  // The order is that of ticket_timeline.sql, reversed.
  private static final String TIMELINE =
      """
      SELECT row_number() OVER (ORDER BY e.at DESC, e.event <> 'created' DESC, e.event <> 'claimed' DESC, e.event DESC) AS place,
        (SELECT count(*) FROM holdfast.ticket_timeline c WHERE c.ticket_id = :id) AS total, e.ticket_id, e.at, e.event, e.actor, e.details
      FROM holdfast.ticket_timeline e WHERE e.ticket_id = :id
      ORDER BY place LIMIT 1000
      """;
  // Waiting calls come before decided ones, however old they are.
  private static final String TOOL_CALLS =
      """
      SELECT row_number() OVER (ORDER BY a.decision IS NULL AND a.voided_at IS NULL DESC, a.id DESC) AS place,
        (SELECT count(*) FROM holdfast.tool_approvals c WHERE c.ticket_id = :id) AS total, a.*
      FROM holdfast.tool_approvals a WHERE a.ticket_id = :id ORDER BY place LIMIT 1000
      """;
  private static final String WITHIN_BYTES =
      """
      WITH newest AS MATERIALIZED (
      %s)
      SELECT * FROM (SELECT n.*, sum(octet_length(n::text)) OVER (ORDER BY n.place) AS bytes_so_far FROM newest n) n
      WHERE n.place = 1 OR n.bytes_so_far <= 4194304
      ORDER BY n.place DESC
      """;

  private final Transactions transactions;
  private final Sql sql;
  private final RowMapper<Guidance> guidance;

  PostgresTicketHistory(Transactions transactions, Sql sql, RowMapper<Guidance> guidance) {
    this.transactions = transactions;
    this.sql = sql;
    this.guidance = guidance;
  }

  TicketHistory of(long ticketId) {
    return new TicketHistory(
        newest(ticketId, ATTEMPTS, RecordMapper.of(AttemptRow.class)),
        newest(ticketId, GUIDANCE, guidance),
        newest(ticketId, TIMELINE, RecordMapper.of(TimelineEntry.class)),
        newest(ticketId, TOOL_CALLS, RecordMapper.of(ToolCallRow.class)));
  }

  private <T> Newest<T> newest(long ticketId, String rows, RowMapper<T> mapper) {
    List<Map.Entry<T, Long>> found =
        transactions.runStatement(
            handle ->
                handle
                    .createQuery(sql.inSchema(WITHIN_BYTES.formatted(rows)))
                    .bind("id", ticketId)
                    .map(
                        (row, context) -> Map.entry(mapper.map(row, context), row.getLong("total")))
                    .list());
    long total = found.isEmpty() ? 0 : found.getFirst().getValue();
    return new Newest<>(found.stream().map(Map.Entry::getKey).toList(), total - found.size());
  }
}
