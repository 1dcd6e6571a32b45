package dev.holdfast.postgres.session;

import dev.holdfast.llm.Usage;
import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.StorableJson;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.session.journal.JournalReader;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.session.report.Spent;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import javax.sql.DataSource;
import org.jdbi.v3.core.Handle;
import org.jdbi.v3.core.mapper.RowMapper;
import org.jdbi.v3.core.mapper.reflect.ConstructorMapper;

/** Reads the table {@code session_journal}. Thread-safe. */
public final class PostgresJournalReader implements JournalReader {
  private static final RowMapper<JournalRow> ROW = ConstructorMapper.of(JournalRow.class);

  private final Transactions transactions;
  private final String read;
  private final String spentBefore;

  public PostgresJournalReader(DataSource dataSource, String schema) {
    this.transactions = new Transactions(dataSource);
    Sql sql = new Sql(schema);
    this.read = sql.load("read_journal");
    this.spentBefore = sql.load("read_spent_before");
  }

  @Override
  public List<JournalRow> rows(long ticketId) {
    return transactions.run(handle -> rows(handle, ticketId, true));
  }

  /** The rows of the conversation that the next session goes on with. */
  List<JournalRow> current(long ticketId) {
    return transactions.run(handle -> rows(handle, ticketId, false));
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
    Usage usage =
        new Usage(
            row.getLong("input"),
            row.getLong("cache_read"),
            row.getLong("cache_write"),
            row.getLong("output"));
    return new Spent(row.getInt("answers"), usage, row.getBigDecimal("cost_usd"));
  }

  private List<JournalRow> rows(Handle handle, long ticketId, boolean ever) {
    return handle.createQuery(read).bind("ticket", ticketId).bind("ever", ever).map(ROW).stream()
        .map(PostgresJournalReader::restored)
        .toList();
  }

  private static JournalRow restored(JournalRow row) {
    return new JournalRow(
        row.seq(), row.leaseNo(), row.writtenAt(), row.kind(), StorableJson.unescape(row.entry()));
  }
}
