package dev.holdfast.postgres.read;

import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.view.EventFigure;
import dev.holdfast.queue.view.FigureReader;
import dev.holdfast.queue.view.FigureWindow;
import dev.holdfast.queue.view.Figures;
import dev.holdfast.queue.view.Flow;
import dev.holdfast.queue.view.ModelFigure;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;

/** Reads figures with four short statements per call. Thread-safe. */
public final class PostgresFigureReader implements FigureReader {
  private static final String HEAD =
      """
      SELECT counted_until, date_bin(:span * interval '1 minute', now(), '2000-01-01 00:00Z')
        - (:spans - 1) * :span * interval '1 minute' AS from_time
      FROM holdfast.figures_cursor
      """;
  private static final String EVENTS =
      """
      SELECT starts_at, event, category, sum(n)::bigint AS n FROM holdfast.ticket_figures
      WHERE span_minutes = :span AND starts_at >= :from
      GROUP BY starts_at, event, category ORDER BY starts_at, event, category
      """;
  private static final String FLOW =
      """
      WITH counted AS (
        SELECT queue, starts_at, event = 'succeeded' AS succeeded, n FROM holdfast.ticket_figures
        WHERE span_minutes = :span AND starts_at >= :from
          AND event IN ('succeeded', 'failed', 'crashed')
      ), busiest AS (
        SELECT queue, sum(n) AS n FROM counted GROUP BY queue ORDER BY n DESC, queue LIMIT 30
      )
      SELECT c.queue, c.starts_at,
        COALESCE(sum(c.n) FILTER (WHERE c.succeeded), 0)::bigint AS succeeded,
        COALESCE(sum(c.n) FILTER (WHERE NOT c.succeeded), 0)::bigint AS failed
      FROM counted c JOIN busiest b ON b.queue = c.queue
      GROUP BY b.n, c.queue, c.starts_at ORDER BY b.n DESC, c.queue, c.starts_at
      """;
  private static final String MODELS =
      """
      SELECT starts_at, design, provider, model, answers, tokens_in, tokens_out, cost_usd
      FROM holdfast.model_figures WHERE span_minutes = :span AND starts_at >= :from
      ORDER BY starts_at, provider, model, design
      """;

  private final Transactions transactions;
  private final Sql sql;

  /** The end of what is counted, and the beginning of the first span. */
  public record Head(Instant countedUntil, Instant fromTime) {}

  public PostgresFigureReader(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    this.sql = new Sql(schema);
  }

  @Override
  public Figures figures(FigureWindow window) {
    return transactions.runStatement(handle -> read(handle, window));
  }

  private Figures read(Handle handle, FigureWindow window) {
    Head head =
        handle
            .createQuery(sql.inSchema(HEAD))
            .bind("span", window.spanMinutes())
            .bind("spans", window.spans())
            .map(RecordMapper.of(Head.class))
            .one();
    OffsetDateTime from = head.fromTime().atOffset(ZoneOffset.UTC);
    return new Figures(
        window,
        head.fromTime(),
        head.countedUntil(),
        list(handle, EVENTS, EventFigure.class, window, from),
        list(handle, FLOW, Flow.class, window, from),
        list(handle, MODELS, ModelFigure.class, window, from));
  }

  private <T> List<T> list(
      Handle handle, String query, Class<T> type, FigureWindow window, OffsetDateTime from) {
    return handle
        .createQuery(sql.inSchema(query))
        .bind("span", window.spanMinutes())
        .bind("from", from)
        .map(RecordMapper.of(type))
        .list();
  }
}
