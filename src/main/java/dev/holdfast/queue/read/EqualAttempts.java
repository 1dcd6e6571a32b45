package dev.holdfast.queue.read;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * Attempts in a row that ended alike, for people to read as one.
 *
 * @param first the number of the first of them
 * @param newest the last of them, which stands for all
 * @param count how many there are, at least 1
 */
public record EqualAttempts(int first, AttemptRow newest, int count) {
  /** Folds all attempts of a ticket, in their order. */
  public static List<EqualAttempts> of(List<AttemptRow> attempts) {
    List<EqualAttempts> folded = new ArrayList<>();
    for (AttemptRow each : attempts) {
      EqualAttempts last = folded.isEmpty() ? null : folded.getLast();
      if (last != null && last.isLike(each)) {
        folded.set(folded.size() - 1, new EqualAttempts(last.first, each, last.count + 1));
      } else {
        folded.add(new EqualAttempts(each.attempt(), each, 1));
      }
    }
    return folded;
  }

  /** {@code 3}, or {@code 3-14} for several. */
  public String numbers() {
    return count == 1 ? "" + first : first + "-" + newest.attempt();
  }

  /**
   * Returns whether the other attempt ended alike. A success never does: each has a result of its
   * own.
   */
  private boolean isLike(AttemptRow other) {
    return !other.outcome().equals("succeeded")
        && other.outcome().equals(newest.outcome())
        && Objects.equals(other.category(), newest.category())
        && Objects.equals(other.fingerprint(), newest.fingerprint())
        && (other.fingerprint() != null || Objects.equals(other.errorTitle(), newest.errorTitle()));
  }
}
