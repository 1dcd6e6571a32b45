package dev.holdfast.worker;

import dev.holdfast.queue.TicketClaims;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.queue.WorkerRegistry;

/**
 * Lets enqueuers notify only while this worker may be waiting: a busy one finds new tickets by
 * itself, and a NOTIFY costs every enqueuer. Thread-safe.
 */
final class WakeUpSwitch implements WakeUps.Listener {
  private static final int FULL_CLAIMS_BEFORE_OFF = 3;

  private final WorkerRegistry registry;
  private final String workerId;
  private final Runnable onRevoked;
  private final Signal signal;
  private final NotifiedClaim notifiedClaim;
  private boolean wanted = true;
  private int fullClaims;

  WakeUpSwitch(
      WorkerRegistry registry,
      String workerId,
      Runnable onRevoked,
      Signal signal,
      NotifiedClaim notifiedClaim) {
    this.registry = registry;
    this.workerId = workerId;
    this.onRevoked = onRevoked;
    this.signal = signal;
    this.notifiedClaim = notifiedClaim;
  }

  Signal signal() {
    return signal;
  }

  /**
   * Notes what a claim found.
   *
   * @return true if notifications were asked for just now: tickets that came before that were not
   *     notified, so look once more
   */
  synchronized boolean claimed(boolean full) {
    fullClaims = full ? fullClaims + 1 : 0;
    if (wanted && fullClaims >= FULL_CLAIMS_BEFORE_OFF) {
      registry.wantsWakeUp(workerId, false);
      wanted = false;
    } else if (!wanted && !full) {
      registry.wantsWakeUp(workerId, true);
      wanted = true;
      return true;
    }
    return false;
  }

  @Override
  public void ready(String queue, TicketClaims here) {
    if (queue.isEmpty()) {
      signal.give();
    } else {
      notifiedClaim.run(here);
    }
  }

  @Override
  public void revoked() {
    onRevoked.run();
  }
}
