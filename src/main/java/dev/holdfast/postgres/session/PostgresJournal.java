package dev.holdfast.postgres.session;

import dev.holdfast.postgres.EscapedJson;
import dev.holdfast.postgres.PinnedPlan;
import dev.holdfast.postgres.TicketLease;
import dev.holdfast.postgres.Transactions;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.TicketBusyException;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.session.report.Spent;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.UnreadableJournalException;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Consumer;
import org.jdbi.v3.core.Handle;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.core.JacksonException;

/** The journal of one attempt. Used by one thread. */
final class PostgresJournal implements Journal {
  private static final Logger LOG = LoggerFactory.getLogger(PostgresJournal.class);
  private static final long UNKNOWN = -1;
  private static final int LEASE_IS_OVER = -1;

  /** Its statements, and the transactions they run in. */
  record Statements(
      Transactions transactions, PostgresJournalReader reader, String append, String lastSeq) {}

  private final TicketLease lease;
  private final Statements statements;
  private final Secrets secrets;
  private final Persistence persistence;
  private long last = UNKNOWN;

  PostgresJournal(
      TicketLease lease, Statements statements, Secrets secrets, Persistence persistence) {
    this.lease = lease;
    this.statements = statements;
    this.secrets = secrets;
    this.persistence = persistence;
  }

  /**
   * @throws UnreadableJournalException if this version cannot read a row as an entry
   */
  @Override
  public void each(Consumer<JournalEntry> reader) {
    long start = persistence.insist(() -> statements.reader().start(lease.ticketId()));
    List<JournalRow> rows = page(start);
    while (!rows.isEmpty()) {
      rows.forEach(row -> reader.accept(entry(row)));
      rows = page(rows.getLast().seq());
    }
  }

  private List<JournalRow> page(long after) {
    return persistence.insist(() -> statements.reader().page(lease.ticketId(), after));
  }

  private JournalEntry entry(JournalRow row) {
    try {
      return Objects.requireNonNull(JournalJson.read(row.entry()));
    } catch (JacksonException | NullPointerException | IllegalArgumentException e) {
      throw new UnreadableJournalException(
          "the journal of ticket %s cannot be read: row %s (%s) is no entry that this version of Holdfast knows; update the worker, or start the session over: holdfast release %s --fresh"
              .formatted(lease.ticketId(), row.seq(), row.kind(), lease.ticketId()),
          e);
    }
  }

  @Override
  public Spent spentBefore() {
    return persistence.insist(() -> statements.reader().spentBefore(lease.ticketId()));
  }

  /**
   * @throws IllegalTransitionException once the lease is over
   */
  @Override
  public void append(List<JournalEntry> entries) {
    if (entries.isEmpty()) {
      return;
    }
    String[] texts = texts(entries);
    int kept = persistence.insist(() -> insert(texts, false));
    if (kept == LEASE_IS_OVER) {
      entries.stream().map(JournalEntry::paid).flatMap(Optional::stream).forEach(this::appendLate);
      throw new IllegalTransitionException(
          "the journal of ticket %s is closed to lease %s: the ticket is no longer in progress under it"
              .formatted(lease.ticketId(), lease.leaseNo()));
    }
    if (kept != texts.length) {
      throw new IllegalStateException(
          "two sessions write the journal of ticket %s under one lease, or the database has lost its last steps"
              .formatted(lease.ticketId()));
    }
    last += texts.length;
  }

  /** Appends an entry. If it cannot be kept, it is dropped: the attempt is over either way. */
  @Override
  public void appendLate(JournalEntry entry) {
    String[] texts = texts(List.of(entry));
    try {
      int kept = persistence.insistBriefly(() -> insert(texts, true));
      if (kept == texts.length) {
        last += kept;
      } else {
        LOG.info("ticket {} does not keep how its session was broken off", lease.ticketId());
      }
    } catch (DatabaseUnavailableException | TicketBusyException e) {
      LOG.warn("ticket {} does not keep how its session was broken off", lease.ticketId(), e);
    }
  }

  private String[] texts(List<JournalEntry> entries) {
    return entries.stream()
        .map(JournalJson::write)
        .map(secrets::redactJson)
        .map(EscapedJson::escape)
        .toArray(String[]::new);
  }

  private int insert(String[] texts, boolean late) {
    return statements.transactions().run(handle -> insert(handle, texts, late));
  }

  private int insert(Handle handle, String[] texts, boolean late) {
    if (last == UNKNOWN) {
      last =
          handle
              .createQuery(statements.lastSeq())
              .bind("ticket", lease.ticketId())
              .mapTo(Long.class)
              .one();
    }
    int kept = append(handle, texts, late);
    // A first try whose answer was lost may have been committed while this one waited for it; only
    // the next statement sees its rows.
    return kept == LEASE_IS_OVER || kept == texts.length ? kept : append(handle, texts, late);
  }

  private int append(Handle handle, String[] texts, boolean late) {
    return PinnedPlan.on(handle.createQuery(statements.append()))
        .bind("ticket", lease.ticketId())
        .bind("lease", lease.leaseNo())
        .bind("seq", last + 1)
        .bind("entries", texts)
        .bind("late", late)
        .mapTo(Integer.class)
        .one();
  }
}
