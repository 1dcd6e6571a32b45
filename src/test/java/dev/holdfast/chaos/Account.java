package dev.holdfast.chaos;

import java.util.List;
import java.util.Map;

/**
 * What the ledger says of a run.
 *
 * @param tickets that were acknowledged
 * @param executions that began
 * @param lost tickets that were acknowledged and are not done
 * @param twice tickets that were finished twice, or changed after their end
 * @param foreign results that are not of the execution under whose lease they were stored
 * @param explained executions that did not finish their ticket, counted by their reason
 * @param unexplained executions that did not finish their ticket, without any
 */
record Account(
    long tickets,
    long executions,
    List<String> lost,
    List<String> twice,
    List<String> foreign,
    Map<String, Integer> explained,
    List<String> unexplained) {

  boolean isClean() {
    return lost.isEmpty() && twice.isEmpty() && foreign.isEmpty() && unexplained.isEmpty();
  }

  /** Executions beyond the one that each ticket needs. */
  int duplicates() {
    return explained.values().stream().mapToInt(Integer::intValue).sum() + unexplained.size();
  }
}
