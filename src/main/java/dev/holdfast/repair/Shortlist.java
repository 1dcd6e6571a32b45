package dev.holdfast.repair;

import dev.holdfast.repair.trace.RunEvent.Ranking;
import java.util.ArrayList;
import java.util.List;

/**
 * Candidates in their order, the best first, and those at the top that only a judge can tell apart
 * (E28-E32). Pure.
 *
 * @param near two or more in a near-tie; empty where the first is the choice
 */
record Shortlist(List<Candidate> ranked, List<Candidate> near) {
  /**
   * The difference up to which scores are a tie (E30). That of 2.2 and 1.2 is a little more than 1.
   */
  private static final double NEAR = 1 + 1e-9;

  Shortlist {
    ranked = List.copyOf(ranked);
    near = List.copyOf(near);
  }

  Candidate first() {
    return ranked.getFirst();
  }

  /**
   * Makes one for candidates that pass: the smallest is the choice. Equal sizes of different diffs
   * are a near-tie (E28).
   */
  static Shortlist ofPassing(List<Candidate> passing) {
    List<Candidate> ranked = passing.stream().sorted(Candidate.BY_SIZE).toList();
    int smallest = ranked.getFirst().trial().lines();
    return of(ranked, ranked.stream().filter(each -> each.trial().lines() == smallest).toList());
  }

  /**
   * Makes one where none passes; scores of the top two within 1 of each other are a near-tie (E29).
   */
  static Shortlist ofReviewed(List<Candidate> applied, List<Ranking> rankings) {
    List<Candidate> ranked = applied.stream().sorted(Candidate.byScore(rankings)).toList();
    double best = Candidate.score(ranked.getFirst(), rankings);
    return of(
        ranked,
        ranked.stream().filter(each -> best - Candidate.score(each, rankings) <= NEAR).toList());
  }

  /**
   * Makes one where nobody reviewed the candidates; equal results of different diffs are a near-tie
   * (E32).
   */
  static Shortlist ofUnreviewed(List<Candidate> applied) {
    List<Candidate> ranked = applied.stream().sorted(Candidate.BY_RESULT).toList();
    Trial.Applied best = ranked.getFirst().trial();
    return of(
        ranked,
        ranked.stream()
            .filter(
                each ->
                    each.trial().verified().failures() == best.verified().failures()
                        && each.trial().lines() == best.lines())
            .toList());
  }

  private static Shortlist of(List<Candidate> ranked, List<Candidate> tied) {
    List<Candidate> different = new ArrayList<>();
    for (Candidate each : tied) {
      if (different.stream().noneMatch(known -> known.trial().tree().equals(each.trial().tree()))) {
        different.add(each);
      }
    }
    return new Shortlist(ranked, different.size() < 2 ? List.of() : different);
  }
}
