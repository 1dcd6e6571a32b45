package dev.holdfast.repair;

import java.math.BigDecimal;
import java.util.List;

/**
 * The end of a run: all that a reviewer or an operator needs.
 *
 * @param detail of the reason, for people
 * @param tree of the result, or of the best candidate so far; the base where nothing helped
 * @param lines that the diff of the tree adds and removes
 * @param verified of that tree
 * @param commit its branch and id are "" where nothing was committed
 * @param known hypotheses and what became of the tries, oldest first
 * @param spent calls of models and money
 * @param when the attempt of the ticket in which it ended
 */
public record RunEnd(
    EndReason reason,
    String detail,
    String baseCommit,
    Tree tree,
    int lines,
    Verified verified,
    RepairRepository.Commit commit,
    List<String> known,
    Counts counts,
    Spent spent,
    At when) {
  public RunEnd {
    known = List.copyOf(known);
  }

  /**
   * The position that a ticket had reached.
   *
   * @param guidance how often people had said something
   */
  public record At(int retryCount, int guidance) {}

  public record Counts(int iterations, int escalations) {}

  /**
   * @param calls with their retries
   * @param costUsd by the price tables
   */
  public record Spent(int calls, BigDecimal costUsd, long elapsedMs) {}
}
