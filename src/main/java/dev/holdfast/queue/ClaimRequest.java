package dev.holdfast.queue;

import java.time.Duration;
import java.util.List;
import java.util.Set;

/**
 * What a worker asks for.
 *
 * @param kinds the kinds it has handlers for; tickets of other kinds are left alone
 * @param queues the queues it works; empty means all
 * @param limit its free slots: no more are claimed (A47)
 * @param lease how long the claim holds without a heartbeat
 * @param after the last ticket claimed of each lane, for a claim that looks behind them only; empty
 *     for a full claim
 */
public record ClaimRequest(
    String workerId,
    Set<String> kinds,
    Set<String> queues,
    int limit,
    Duration lease,
    List<Long> after) {
  /** A full claim. */
  public ClaimRequest(
      String workerId, Set<String> kinds, Set<String> queues, int limit, Duration lease) {
    this(workerId, kinds, queues, limit, lease, List.of());
  }

  public ClaimRequest {
    kinds = Set.copyOf(kinds);
    queues = Set.copyOf(queues);
    after = List.copyOf(after);
    if (limit < 1) {
      throw new IllegalArgumentException("a claim asks for at least one ticket: " + limit);
    }
  }

  /** The same, for so many tickets, looking behind those only. */
  public ClaimRequest narrowedTo(int tickets, List<Long> behind) {
    return new ClaimRequest(workerId, kinds, queues, tickets, lease, behind);
  }
}
