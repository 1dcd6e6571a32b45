package dev.holdfast.queue;

import dev.holdfast.failure.Failure;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * The worker's side of the durable queue. Every method is one transaction and holds no connection
 * afterwards. Thread-safe. A lost database shows as {@link QueueUnavailableException}; nothing is
 * half done then.
 */
public interface TicketQueue extends TicketClaims {
  /** Renews leases, and says which are lost and which tickets were revoked. */
  Heartbeat heartbeat(String workerId, Collection<Long> leaseNos, Duration lease);

  /**
   * Stores how attempts ended: state, attempt row and activity row together. Reporting the same
   * finish again is harmless and gives the same kind of answer.
   *
   * @param closedLeases leases of which every ticket is finished with this batch
   * @return one result per finish, in order
   */
  List<FinishResult> finish(List<? extends Finish> finishes, Collection<Long> closedLeases);

  /**
   * Decides what becomes of one failed ticket (A1): {@link FinishResult.Retried}, {@link
   * FinishResult.Held} or {@link FinishResult.Stale}.
   */
  FinishResult retryOrFailTicket(long ticketId, long leaseNo, Failure failure);

  /**
   * Takes tickets with expired leases through {@code retryOrFailTicket} as system_error "lease
   * expired" (A50).
   *
   * @param limit leases at most
   * @return what became of each ticket
   */
  List<FinishResult> rescue(int limit);

  /**
   * Puts tickets on hold that no worker has started before they expired. Gives back what is left of
   * the places under limits of attempts that run no more.
   *
   * @param limit tickets at most
   * @return which
   */
  List<Long> holdExpired(int limit);
}
