package dev.holdfast.queue.view;

import dev.holdfast.queue.read.DesignHealth;
import dev.holdfast.queue.spending.ProviderStatus;
import java.util.List;

/**
 * Reads for the console's pages, beyond {@link dev.holdfast.queue.read.TicketReader}. Reads only.
 * Each call is fast whatever the table holds: pages are cut by keys, and a figure that would need
 * all tickets looks at a window of them and says so. Thread-safe.
 */
public interface ConsoleReader {
  /** Returns the number of tickets that wait for a person. */
  long heldCount();

  /**
   * Returns the number of results that wait for a person among the newest tickets; counts to {@code
   * most} only.
   */
  long reviewCount(long most);

  /** Results that wait for a person among the newest tickets, by design, most first. */
  List<DesignReviews> reviewsByDesign();

  /** Returns the number of the newest tickets in each state. */
  StateCounts stateCounts();

  /**
   * Returns in words the providers that people were told do not answer, and that still do not while
   * tickets wait for them.
   */
  List<String> outages();

  /**
   * Returns the number of tickets that are held with one error.
   *
   * @param fingerprint "" for tickets without an error
   * @param category "" for tickets without an error
   */
  long groupSize(String fingerprint, String category);

  /**
   * Returns the state of tickets that were released.
   *
   * @param release the key that they were released under; an unknown key has no tickets
   */
  ReleasedTickets released(String release);

  /** Groups of held tickets with one error, the largest first. */
  Inbox inbox(InboxQuery query);

  /** Returns the names of the first 200 queues. */
  List<String> queueNames();

  /** Returns the running tickets, by worker and time, the first {@code limit}. */
  List<RunningTicket> running(int limit);

  /** Finished attempts of the last half hour by queue and minute, oldest first. */
  List<Flow> flow();

  /** Returns the slots that finished attempts took in the last half hour, oldest first. */
  List<BusySlots> busySlots();

  /** Returns the answers of models in the last 7 days, by provider, the most expensive first. */
  List<ModelUse> modelUse();

  /** Returns all designs by name, with what became of the newest tickets. */
  List<DesignHealth> designs();

  /** Returns all versions of a design, the newest first; empty if there is none. */
  List<DesignVersion> designVersions(String name);

  /**
   * Providers that are not called just now, those that need a person first, and those that have
   * shown signs of an outage, whose state is {@code suspected}.
   */
  List<ProviderStatus> providers();
}
