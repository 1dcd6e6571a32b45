package dev.holdfast.cli.root;

import dev.holdfast.batch.BatchDesk;
import dev.holdfast.batch.ReleaseDesk;
import dev.holdfast.limit.LimitDesk;
import dev.holdfast.queue.DesignStore;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.queue.read.Checkup;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.spending.SpendingDesk;
import dev.holdfast.queue.takeover.TicketImport;
import dev.holdfast.repair.trace.RunReader;
import dev.holdfast.schedule.ScheduleDesk;
import dev.holdfast.session.journal.JournalReader;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The database behind a command, opened when it is first used.
 *
 * <p>Every method throws {@link dev.holdfast.queue.DatabaseUnavailableException} where the database
 * cannot be reached.
 */
public interface Backend extends AutoCloseable {
  /**
   * @param applied how many migrations were run
   * @param version the schema's version now
   */
  record Migrated(int applied, String version) {}

  /** Opens a backend. */
  @FunctionalInterface
  interface Opener {
    Backend open(dev.holdfast.config.Settings settings);
  }

  TicketInbox inbox();

  TicketDesk desk();

  TicketReader reader();

  SpendingDesk spending();

  JournalReader journals();

  /** Returns the runs of repairs. */
  RunReader runs();

  DesignStore designs();

  ScheduleDesk schedules();

  BatchDesk batches();

  /** Returns the releases in steps. */
  ReleaseDesk releases();

  LimitDesk limits();

  TicketImport imports();

  /**
   * @param ticketId null for all tickets
   */
  TicketFeed feed(@Nullable Long ticketId);

  Checkup checkup();

  /**
   * @param ranOf receives the number of migrations after each one
   */
  Migrated migrate(IntConsumer ranOf);

  /** Returns the address of the database, without passwords. It also names an embedded one. */
  String address();

  @Override
  void close();
}
