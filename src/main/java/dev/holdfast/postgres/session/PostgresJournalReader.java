package dev.holdfast.postgres.session;

import dev.holdfast.llm.Usage;
import dev.holdfast.postgres.EscapedJson;
import dev.holdfast.postgres.RecordMapper;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.session.journal.JournalReader;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.session.journal.JournalTotal;
import dev.holdfast.session.report.Spent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.result.ResultIterator;
import org.jdbi.v3.core.statement.Query;

/** Reads the table {@code session_journal}. Thread-safe. */
public final class PostgresJournalReader implements JournalReader {
  private static final RowMapper<JournalRow> ROW = RecordMapper.of(JournalRow.class);
  private static final int PAGE_ROWS = 400;
  private static final int PAGE_CHARS = 4 << 20;
  private static final int FETCHED_AT_ONCE = 8;

  private final Transactions transactions;
  private final String start;
  private final String page;
  private final String newest;
  private final String total;
  private final String spentBefore;

  public PostgresJournalReader(DataSource dataSource, String schema) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.start =
        sql.inSchema(
            "SELECT COALESCE(max(seq), 0) FROM holdfast.session_journal WHERE ticket_id = :ticket"
                + " AND kind = 'started_over'");
    this.page = sql.load("journal_page");
    this.newest = sql.load("journal_newest");
    this.total = sql.load("journal_total");
    this.spentBefore = sql.load("read_spent_before");
  }

  @Override
  public void each(long ticketId, Consumer<JournalRow> reader) {
    List<JournalRow> rows = page(ticketId, 0);
    while (!rows.isEmpty()) {
      rows.forEach(reader);
      rows = page(ticketId, rows.getLast().seq());
    }
  }

  /** Returns one page of the rows after this one; none after the last. */
  List<JournalRow> page(long ticketId, long after) {
    return transactions.run(
        handle ->
            firstOf(
                handle
                    .createQuery(page)
                    .bind("ticket", ticketId)
                    .bind("after", after)
                    .bind("rows", PAGE_ROWS)));
  }

  @Override
  public List<JournalRow> newest(long ticketId) {
    return transactions
        .run(
            handle ->
                firstOf(
                    handle
                        .createQuery(newest)
                        .bind("ticket", ticketId)
                        .bind("bytes", PAGE_CHARS)
                        .bind("rows", PAGE_ROWS)))
        .reversed();
  }

  /** Returns the rows of one page, at least one; the others do not come into memory. */
  private static List<JournalRow> firstOf(Query query) {
    List<JournalRow> rows = new ArrayList<>();
    int chars = 0;
    try (ResultIterator<JournalRow> all = query.setFetchSize(FETCHED_AT_ONCE).map(ROW).iterator()) {
      while (chars < PAGE_CHARS && all.hasNext()) {
        JournalRow row = restored(all.next());
        rows.add(row);
        chars += row.entry().length();
      }
    }
    return rows;
  }

  @Override
  public JournalTotal total(long ticketId) {
    return transactions.run(
        handle ->
            handle
                .createQuery(total)
                .bind("ticket", ticketId)
                .map((row, context) -> total(row))
                .one());
  }

  private static JournalTotal total(ResultSet row) throws SQLException {
    return new JournalTotal(
        row.getLong("rows"), row.getLong("answers"), usage(row), row.getBigDecimal("cost_usd"));
  }

  /** Returns the row after which the conversation begins that the next session continues. */
  long start(long ticketId) {
    return transactions.run(
        handle -> handle.createQuery(start).bind("ticket", ticketId).mapTo(Long.class).one());
  }

  Spent spentBefore(long ticketId) {
    return transactions.run(
        handle ->
            handle
                .createQuery(spentBefore)
                .bind("ticket", ticketId)
                .map((row, context) -> spent(row))
                .one());
  }

  private static Spent spent(ResultSet row) throws SQLException {
    return new Spent(row.getInt("answers"), usage(row), row.getBigDecimal("cost_usd"));
  }

  private static Usage usage(ResultSet row) throws SQLException {
    return new Usage(
        row.getLong("input"),
        row.getLong("cache_read"),
        row.getLong("cache_write"),
        row.getLong("output"));
  }

  private static JournalRow restored(JournalRow row) {
    return new JournalRow(
        row.seq(), row.leaseNo(), row.writtenAt(), row.kind(), EscapedJson.unescape(row.entry()));
  }
}
