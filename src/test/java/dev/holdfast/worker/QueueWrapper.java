package dev.holdfast.worker;

import dev.holdfast.failure.Failure;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.queue.Heartbeat;
import dev.holdfast.queue.TicketQueue;
import java.time.Duration;
import java.util.Collection;
import java.util.List;

/** Passes everything on; a test overrides what shall go wrong. */
class QueueWrapper implements TicketQueue {
  private final TicketQueue queue;

  QueueWrapper(TicketQueue queue) {
    this.queue = queue;
  }

  @Override
  public Claim claim(ClaimRequest request) {
    return queue.claim(request);
  }

  @Override
  public Heartbeat heartbeat(String workerId, Collection<Long> leaseNos, Duration lease) {
    return queue.heartbeat(workerId, leaseNos, lease);
  }

  @Override
  public List<FinishResult> finish(List<? extends Finish> finishes, Collection<Long> closedLeases) {
    return queue.finish(finishes, closedLeases);
  }

  @Override
  public FinishResult retryOrFailTicket(long ticketId, long leaseNo, Failure failure) {
    return queue.retryOrFailTicket(ticketId, leaseNo, failure);
  }

  @Override
  public List<FinishResult> rescue(int limit) {
    return queue.rescue(limit);
  }

  @Override
  public List<Long> holdExpired(int limit) {
    return queue.holdExpired(limit);
  }
}
