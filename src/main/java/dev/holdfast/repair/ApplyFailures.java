package dev.holdfast.repair;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts for each apply error in how many attempts of a step in a row it occurred (E34). Which
 * candidates of an attempt caused it does not matter. Immutable.
 *
 * @param counts by the error's hash; an error that the last attempt did not meet is not in it
 */
record ApplyFailures(Map<String, Integer> counts) {
  static final ApplyFailures NONE = new ApplyFailures(Map.of());

  ApplyFailures {
    counts = Map.copyOf(counts);
  }

  /** Returns the counts after one more attempt. */
  ApplyFailures with(Collection<String> errorHashes) {
    Map<String, Integer> next = new HashMap<>();
    errorHashes.forEach(hash -> next.put(hash, of(hash) + 1));
    return new ApplyFailures(next);
  }

  int of(String errorHash) {
    return counts.getOrDefault(errorHash, 0);
  }

  /** The count of the error that has lasted longest; 0 where there is none. */
  int longest() {
    return counts.values().stream().mapToInt(Integer::intValue).max().orElse(0);
  }
}
