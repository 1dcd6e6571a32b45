package dev.holdfast.queue;

import java.time.Duration;
import java.util.Set;

/**
 * What a worker asks for.
 *
 * @param kinds the kinds it has handlers for; tickets of other kinds are left alone
 * @param queues the queues it works; empty means all
 * @param limit its free slots: no more are claimed (A47)
 * @param lease how long the claim holds without a heartbeat
 */
public record ClaimRequest(
    String workerId, Set<String> kinds, Set<String> queues, int limit, Duration lease) {
  public ClaimRequest {
    kinds = Set.copyOf(kinds);
    queues = Set.copyOf(queues);
    if (limit < 1) {
      throw new IllegalArgumentException("a claim asks for at least one ticket: " + limit);
    }
  }
}
