package dev.holdfast.queue;

import dev.holdfast.failure.Failure;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/**
 * The worker's side of the durable queue. Every method is one transaction and holds no connection
 * afterwards. Thread-safe. If the database is lost, a {@link DatabaseUnavailableException} is
 * thrown; nothing is half done then.
 */
public interface TicketQueue extends TicketClaims {
  /** Renews leases, and says which are lost and which tickets were revoked. */
  Heartbeat heartbeat(String workerId, Collection<Long> leaseNos, Duration lease);

  /**
   * Stores how attempts ended: state, attempt row and activity row together. Reporting the same
   * finish again is harmless and gives the same kind of answer.
   *
   * @param closedLeases leases whose tickets are all finished with this batch
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
   * @param limit the highest number of leases
   * @return what became of each ticket
   */
  List<FinishResult> rescue(int limit);

  /**
   * Puts tickets on hold that expired before a worker started them. Gives back the places under
   * limits that attempts which run no more still have.
   *
   * @param limit the highest number of tickets
   * @return which tickets
   */
  List<Long> holdExpired(int limit);
}
