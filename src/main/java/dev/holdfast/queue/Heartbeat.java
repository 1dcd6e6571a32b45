package dev.holdfast.queue;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The answer to a heartbeat.
 *
 * @param renewed the leases that were renewed
 * @param busy leases that are there but could not be renewed now, because somebody's transaction
 *     has them locked; one that was asked for and is neither renewed nor busy is lost
 * @param revoked by lease, the tickets a person cancelled or held meanwhile
 * @param registered false where the worker's row is gone: nobody sees or notifies the worker
 */
public record Heartbeat(
    Set<Long> renewed, Set<Long> busy, Map<Long, Set<Long>> revoked, boolean registered) {
  public Heartbeat {
    renewed = Set.copyOf(renewed);
    busy = Set.copyOf(busy);
    revoked = Map.copyOf(revoked);
  }

  /** Joins the answers to two heartbeats for different leases. */
  public Heartbeat and(Heartbeat other) {
    Set<Long> bothRenewed = new HashSet<>(renewed);
    bothRenewed.addAll(other.renewed);
    Set<Long> bothBusy = new HashSet<>(busy);
    bothBusy.addAll(other.busy);
    Map<Long, Set<Long>> bothRevoked = new HashMap<>(revoked);
    bothRevoked.putAll(other.revoked);
    return new Heartbeat(bothRenewed, bothBusy, bothRevoked, registered && other.registered);
  }
}
