package dev.holdfast.queue.read;

import dev.holdfast.queue.QueueUnavailableException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

/** Facts about the database that {@code holdfast doctor} judges. Thread-safe. */
public interface Checkup {
  /**
   * The server behind the URL.
   *
   * @param version as it tells it: {@code 18.1}
   * @param now its clock
   * @param encoding of the database: {@code UTF8}
   * @param standby whether it only follows another server and takes no writes
   */
  record Server(
      String version,
      int major,
      String database,
      String encoding,
      String user,
      Instant now,
      boolean standby) {}

  /** Ready tickets of one kind in a queue that is not paused. */
  record ReadyKind(String queue, String kind, long tickets, Instant oldest) {}

  /**
   * A transaction that is open for long: nothing that was deleted since it began can be cleaned up.
   *
   * @param state as in pg_stat_activity: {@code idle in transaction}
   */
  record OpenTransaction(int pid, String user, String application, String state, Duration age) {}

  /**
   * @throws QueueUnavailableException if it cannot be reached
   */
  Server server();

  /** The newest migration that was applied; 0 where the schema is missing. */
  int schemaVersion();

  /** The newest migration this Holdfast has. */
  int newestSchemaVersion();

  /**
   * Whether a notification comes back within the time; it does not through a transaction pooler.
   */
  boolean notificationsArrive(Duration patience);

  /** Oldest first. */
  List<ReadyKind> readyKinds();

  /** Transactions in any database of the server that are older than the given age, oldest first. */
  List<OpenTransaction> transactionsOlderThan(Duration age);

  /** Those of the roles for people, programs and workers that the server lacks. */
  List<String> missingRoles();
}
