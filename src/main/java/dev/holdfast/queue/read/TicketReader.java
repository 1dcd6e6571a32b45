package dev.holdfast.queue.read;

import dev.holdfast.queue.output.AttemptOutput;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Reads tickets, attempts, queues and workers for people; a consistent picture per call.
 * Thread-safe.
 */
public interface TicketReader {
  /** Returns the database's clock, by which all ages and countdowns are shown. */
  Instant now();

  /**
   * Returns whole rows, newest first. A row may be megabytes long; {@link #summaries} is for
   * overviews.
   */
  List<TicketRow> list(TicketFilter filter);

  /** Returns tickets, newest first. The database sends none of the large columns. */
  List<TicketSummary> summaries(TicketFilter filter);

  /**
   * Returns a page for people, newest first, fast whatever the table holds: if no index serves the
   * filter, it looks at the newest 20,000 tickets of the page and says so.
   */
  TicketWindow window(TicketFilter filter);

  /**
   * Held tickets that match, oldest id first, for an action on all of them.
   *
   * @param filter its state, {@code beforeId} and {@code limit} are not used
   * @param afterId only larger ids
   * @param heldBefore only tickets held by then: what the person who acts has seen; null for all
   */
  List<Long> heldIds(TicketFilter filter, long afterId, @Nullable Instant heldBefore, int limit);

  /**
   * Returns the tickets that workers would claim next, in claim order (A38-A40).
   *
   * @param queue null for all; paused ones have none
   */
  List<TicketSummary> getReadyTickets(@Nullable String queue, int limit);

  Optional<TicketSummary> summary(long ticketId);

  Optional<TicketRow> find(long ticketId);

  List<AttemptRow> attempts(long ticketId);

  /**
   * Returns the output of an attempt's program, while it runs too.
   *
   * @param attempt its number, from 1; null for the newest
   * @return empty if there is no such attempt
   */
  Optional<AttemptOutput> output(long ticketId, @Nullable Integer attempt);

  /** Returns the timeline of a ticket, oldest first. */
  List<TimelineEntry> timeline(long ticketId);

  List<dev.holdfast.ticket.Guidance> guidance(long ticketId);

  /**
   * Returns its newest {@link #attempts}, {@link #guidance} and {@link #timeline}, for a process
   * that a ticket with many of them must not end.
   */
  TicketHistory history(long ticketId);

  /** Returns the events of an agent's sessions, oldest first, without full texts. */
  List<TimelineEntry> sessionEvents(long ticketId);

  /**
   * Returns the question that a held ticket waits with, as a JSON object; empty where it asks
   * nothing.
   */
  Optional<String> question(long ticketId);

  /** Returns the tool calls that a person had to allow or has to allow, oldest first. */
  List<ToolCallRow> toolCalls(long ticketId);

  /** Returns true if an order to end the ticket's retry waits to be taken by its worker. */
  boolean hasRetryAbort(long ticketId);

  /** Returns a person's switch for the retries of its sessions; empty where nobody has set one. */
  Optional<AutoRetrySwitch> autoRetry(long ticketId);

  /** Returns the wait of the ticket, if it waits for a time now. */
  Optional<CurrentWait> currentWait(long ticketId);

  /** Returns the person who looks after the ticket. */
  Optional<String> assignee(long ticketId);

  List<QueueHealth> queues();

  List<ErrorGroup> errorGroups(int limit);

  /** Returns the designs that most of the newest tickets have. */
  List<DesignHealth> designs(int limit);

  List<WorkerRow> workers();

  /** Returns those of {@link #workers} that claim tickets now. */
  LiveWorkers liveWorkers();

  /**
   * Says in words what those tickets wait for that wait for a provider, an account, a budget, other
   * tickets, the end of a pause, a limit or their turn.
   */
  Map<Long, String> waitingFor(Collection<Long> ticketIds);

  /** Returns the steps of a workflow, each after those it waits for; none for another ticket. */
  List<StepRow> steps(long ticketId);

  /** Returns the tickets that a job has added, oldest first; not the steps of a workflow. */
  List<ChildRow> children(long ticketId, int limit);

  /**
   * Says what has to happen before a worker may claim a ready ticket: the tickets that it waits
   * for, such as {@code #17, on hold since ...}, the queue that is paused, or the limit, such as
   * {@code the limit of queue:mail, 5 at once}.
   */
  Optional<String> predecessors(long ticketId);
}
