package dev.holdfast.queue;

/** Deletes what retention no longer keeps. */
public interface TicketPruner {
  /**
   * Deletes at most {@code limit} tickets, in short transactions.
   *
   * @return how many; fewer than the limit means nothing is left to prune
   */
  int prune(Retention retention, int limit);
}
