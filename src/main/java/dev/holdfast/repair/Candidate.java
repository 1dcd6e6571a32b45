package dev.holdfast.repair;

import dev.holdfast.repair.trace.RunEvent.Ranking;
import java.util.Comparator;
import java.util.List;

/**
 * One of several proposals that applied.
 *
 * @param number from 1
 */
record Candidate(int number, Trial.Applied trial) {
  /**
   * Puts the candidate with the fewest failures first, then the smallest diff, then the lowest
   * number (E32).
   */
  static final Comparator<Candidate> BY_RESULT =
      Comparator.comparingLong((Candidate each) -> each.trial().verified().failures())
          .thenComparingInt(each -> each.trial().lines())
          .thenComparingInt(Candidate::number);

  /** Puts the smallest diff first, then the lowest number (E28). */
  static final Comparator<Candidate> BY_SIZE =
      Comparator.comparingInt((Candidate each) -> each.trial().lines())
          .thenComparingInt(Candidate::number);

  boolean passes() {
    return trial.verified().passed();
  }

  /** Orders by the reviewer's scores; a candidate that the reviewer left out comes last. */
  static Comparator<Candidate> byScore(List<Ranking> rankings) {
    return Comparator.comparingDouble((Candidate each) -> -score(each, rankings))
        .thenComparing(BY_RESULT);
  }

  static double score(Candidate candidate, List<Ranking> rankings) {
    return rankings.stream()
        .filter(each -> each.candidate() == candidate.number())
        .mapToDouble(Ranking::score)
        .findFirst()
        .orElse(Double.NEGATIVE_INFINITY);
  }
}
