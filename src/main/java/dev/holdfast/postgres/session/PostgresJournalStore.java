package dev.holdfast.postgres.session;

import dev.holdfast.postgres.Sql;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalStore;
import javax.sql.DataSource;

/**
 * Reads and writes the table {@code session_journal}. The ticket's lease fences a journal: once it
 * is over, whatever ended it, an append throws {@link
 * dev.holdfast.ticket.IllegalTransitionException} and writes nothing.
 *
 * <p>Work that was paid for is not given up because the database restarts or somebody has the
 * ticket locked: an append is tried again for about a minute before it throws {@link
 * dev.holdfast.queue.DatabaseUnavailableException}, or for a few seconds if its thread is
 * interrupted. An interrupt never cuts a write off, and the thread still has it when the append
 * returns.
 *
 * <p>Thread-safe; a journal is for one session's thread.
 */
public final class PostgresJournalStore implements JournalStore {
  private final Transactions transactions;
  private final PostgresJournalReader reader;
  private final String append;
  private final String lastSeq;
  private final Sleeper sleeper;
  private final Secrets secrets;

  /**
   * @param sleeper waits between two tries
   * @param secrets the values that no entry may contain
   */
  public PostgresJournalStore(
      DataSource dataSource, String schema, Sleeper sleeper, Secrets secrets) {
    Sql sql = new Sql(schema);
    this.transactions = new Transactions(dataSource);
    this.reader = new PostgresJournalReader(dataSource, schema);
    this.append = sql.loadPinned("append_journal");
    this.lastSeq =
        sql.inSchema(
            "SELECT COALESCE(max(seq), 0) FROM holdfast.session_journal WHERE ticket_id = :ticket");
    this.sleeper = sleeper;
    this.secrets = secrets;
  }

  @Override
  public Journal open(long ticketId, long leaseNo) {
    return new PostgresJournal(
        new TicketLease(ticketId, leaseNo),
        new PostgresJournal.Statements(transactions, reader, append, lastSeq),
        secrets,
        new Persistence(sleeper));
  }
}
