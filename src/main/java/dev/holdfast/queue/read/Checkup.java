package dev.holdfast.queue.read;

import dev.holdfast.queue.DatabaseUnavailableException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the database that {@code holdfast doctor} judges. A fact that this user may not look
 * at is a {@link dev.holdfast.queue.StatementRefusedException}, one that takes too long a {@link
 * dev.holdfast.queue.QuestionTooSlowException}.
 */
public interface Checkup {
  /**
   * The server behind the URL.
   *
   * @param version as the server says it: {@code 18.1}
   * @param now its clock
   * @param encoding of the database: {@code UTF8}
   * @param standby whether it only follows another server and takes no writes
   * @param autovacuum whether the server cleans its tables up by itself
   * @param seesAll whether this user may see what other users' connections do
   * @param readOnlyBy what makes its transactions read-only, as {@code pg_settings.source} has it;
   *     empty where nothing does
   */
  record Server(
      String version,
      int major,
      String database,
      String encoding,
      String user,
      Instant now,
      boolean standby,
      boolean autovacuum,
      boolean seesAll,
      String readOnlyBy) {}

  /**
   * Tickets of one kind that a worker could claim, in a queue that is not paused: ready, or due and
   * not yet looked at.
   *
   * @param firstId the smallest id among them
   */
  record ReadyKind(String queue, String kind, long tickets, long firstId) {}

  /**
   * One of our tables, as the server's statistics describe it.
   *
   * @param table with its schema
   * @param autovacuum false where the table's own settings say so
   * @param cleaned when it was last vacuumed; null if never
   */
  record TableVacuum(
      String table, long live, long dead, boolean autovacuum, @Nullable Instant cleaned) {}

  /**
   * A lease that nobody ended.
   *
   * @param tickets how many tickets it keeps from other workers
   */
  record ExpiredLease(String workerId, long tickets, Duration expiredFor) {}

  /**
   * Tickets that stay ready whatever the workers do.
   *
   * @param firstId the smallest id among them; null if there are none
   * @param until the latest time that one of them waits for; null where none waits for a time
   */
  record Stranded(long tickets, @Nullable Long firstId, @Nullable Instant until) {}

  /**
   * Ready tickets that a limit keeps from workers.
   *
   * @param scope queue:NAME or design:NAME
   */
  record Limited(String scope, long tickets, long firstId) {}

  /**
   * A transaction that is open for long: nothing that was deleted since it began can be cleaned up.
   *
   * @param state as in pg_stat_activity: {@code idle in transaction}
   */
  record OpenTransaction(int pid, String user, String application, String state, Duration age) {}

  /**
   * The transaction ids that the server has left: without them it stands still.
   *
   * @param database the database that keeps the oldest of them
   * @param left how many are left
   */
  record TransactionIds(String database, long left) {}

  /**
   * Commits that no synchronous standby has confirmed.
   *
   * @param sessions how many wait, of those that this user may see
   * @param standbys synchronous_standby_names
   */
  record WaitingCommits(long sessions, String standbys) {}

  /**
   * @throws DatabaseUnavailableException if it cannot be reached
   */
  Server server();

  /** Returns the commits that have waited for longer than this. */
  WaitingCommits commitsWaitingFor(Duration atLeast);

  /**
   * Our tables whose rows row level security hides from this user: it is on, and no policy shows
   * any.
   */
  List<String> hiddenTables();

  /** Returns the transaction ids of the server's database that has the fewest left. */
  TransactionIds transactionIds();

  /**
   * Returns a reader of the same tables and people's views, within the time that this checkup gives
   * a statement.
   */
  TicketReader tickets();

  /** Returns the newest migration that was applied; 0 where the schema is missing. */
  int schemaVersion();

  /** Returns the newest migration this Holdfast has. */
  int newestSchemaVersion();

  /**
   * Returns true if a notification comes back within the time; it does not through a transaction
   * pooler.
   */
  boolean notificationsArrive(Duration patience);

  /**
   * Groups of held tickets.
   *
   * @param oldest since when their oldest is on hold; null where there is no group
   */
  record OldHolds(long groups, @Nullable Instant oldest) {}

  /** Returns the kinds of ready tickets, oldest first. */
  List<ReadyKind> readyKinds();

  /** Transactions in any database of the server that are older than the given age, oldest first. */
  List<OpenTransaction> transactionsOlderThan(Duration age);

  /** Returns all tables of ours, by name. */
  List<TableVacuum> tables();

  /** Returns leases that ended longer ago than this and are still there, the oldest first. */
  List<ExpiredLease> leasesExpiredFor(Duration grace);

  /** Tickets that are not due for longer than this. */
  Stranded notDueWithin(Duration horizon);

  /** Ready tickets of a design that is not there. */
  Stranded withoutDesign();

  /**
   * Returns tickets that wait for one that is gone, or has been on hold for that long; {@code
   * firstId} is that one.
   */
  Stranded behindHeld(Duration longest);

  /**
   * Returns the limits that have made a ticket wait for longer than this. If there are many
   * tickets, not all are counted.
   */
  List<Limited> inLineFor(Duration longest);

  /**
   * Returns tickets that should have begun before that time, have not, and are not on hold either.
   */
  Stranded expiredFor(Duration longest);

  /** Tickets that wait for a time that was set when the database's clock was ahead. */
  Stranded setInFuture();

  /** Ready tickets that are meant for nobody: neither for workers nor for a person. */
  Stranded forNobody();

  /** Returns the groups of held tickets by error in which one is on hold for longer than this. */
  OldHolds heldFor(Duration longest);

  /**
   * Returns the server's data directory, if the server runs on this machine and this user may know;
   * whether it can be read from here is another question.
   */
  Optional<Path> dataDirectory();

  /**
   * Returns the foreign keys of other tables that keep tickets from being deleted, as {@code
   * shop.orders (orders_ticket_id_fkey)}.
   */
  List<String> references();

  /** Returns those of the roles for people, programs and workers that the server lacks. */
  List<String> missingRoles();

  /** Returns the roles that are there and may not use the schema. */
  List<String> rolesWithoutRights();
}
