package dev.holdfast.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.repair.trace.RunEvent.Ranking;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShortlistTest {
  private static Candidate candidate(int number, long failures, int lines) {
    return candidate(number, failures, lines, "diff " + number);
  }

  private static Candidate candidate(int number, long failures, int lines, String diff) {
    boolean passed = failures == 0;
    Verified verified =
        new Verified(passed, passed ? "" : "s" + failures, List.of(), failures, "", false);
    return new Candidate(
        number, new Trial.Applied(new Tree(diff, diff), lines, List.of("f"), verified));
  }

  private static List<Integer> numbers(List<Candidate> candidates) {
    return candidates.stream().map(Candidate::number).toList();
  }

  private static Ranking score(int candidate, double score) {
    return new Ranking(candidate, score, "");
  }

  @Test
  @DisplayName("E28: of those that pass the smallest diff is the choice")
  void smallest() {
    Shortlist list = Shortlist.ofPassing(List.of(candidate(1, 0, 9), candidate(2, 0, 2)));
    assertThat(list.first().number()).isEqualTo(2);
    assertThat(list.near()).isEmpty();
  }

  @Test
  @DisplayName("E30: different diffs of one size that both pass are a near-tie; equal ones are not")
  void equalSizes() {
    Shortlist tie =
        Shortlist.ofPassing(List.of(candidate(1, 0, 2), candidate(2, 0, 2), candidate(3, 0, 3)));
    assertThat(numbers(tie.near())).containsExactly(1, 2);
    Shortlist same = Shortlist.ofPassing(List.of(candidate(1, 0, 2, "d"), candidate(2, 0, 2, "d")));
    assertThat(same.near()).isEmpty();
    assertThat(same.first().number()).isEqualTo(1);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "1, true", "1.1, false", "2, false"})
  @DisplayName("E29, E30: none passes: the reviewer's order; the top two within 1 are a near-tie")
  void reviewed(double gap, boolean near) {
    Shortlist list =
        Shortlist.ofReviewed(
            List.of(candidate(1, 3, 1), candidate(2, 9, 50), candidate(3, 1, 1)),
            List.of(score(1, 8 - gap), score(2, 8), score(3, 2)));
    assertThat(numbers(list.ranked()).getLast()).isEqualTo(3);
    assertThat(list.near().isEmpty()).isEqualTo(!near);
    assertThat(list.first().number()).isEqualTo(gap == 0 ? 1 : 2);
  }

  @ParameterizedTest
  @CsvSource({"2.2, 1.2, true", "8.3, 7.3, true", "2.2, 1.1, false"})
  @DisplayName("E30: scores with decimals that are 1 apart are a near-tie, too")
  void decimals(double best, double next, boolean near) {
    Shortlist list =
        Shortlist.ofReviewed(
            List.of(candidate(1, 1, 1), candidate(2, 2, 2)),
            List.of(score(1, best), score(2, next)));
    assertThat(list.near().isEmpty()).isEqualTo(!near);
  }

  @Test
  @DisplayName("E29: whom the reviewer left out comes last, and is in no near-tie")
  void leftOut() {
    Shortlist list =
        Shortlist.ofReviewed(List.of(candidate(1, 1, 1), candidate(2, 2, 2)), List.of(score(2, 1)));
    assertThat(numbers(list.ranked())).containsExactly(2, 1);
    assertThat(list.near()).isEmpty();
  }

  @Test
  @DisplayName("E32: nobody looks: fewest failures, then the smallest diff, then the lowest number")
  void unreviewed() {
    List<Candidate> all =
        List.of(candidate(1, 2, 1), candidate(4, 1, 5), candidate(3, 1, 4), candidate(2, 1, 4));
    Shortlist list = Shortlist.ofUnreviewed(all);
    assertThat(numbers(list.ranked())).containsExactly(2, 3, 4, 1);
    assertThat(numbers(list.near())).containsExactly(2, 3);
  }

  @Test
  @DisplayName(
      "E34: an error of any candidate counts on in the next attempt, once in each; another one from"
          + " 1")
  void applyErrors() {
    ApplyFailures two = ApplyFailures.NONE.with(List.of("x", "y")).with(List.of("z", "x", "x"));
    assertThat(two.longest()).isEqualTo(2);
    assertThat(two.of("x")).isEqualTo(2);
    assertThat(two.of("z")).isEqualTo(1);
    assertThat(two.of("y")).isZero();
    assertThat(two.with(List.of("y")).longest()).isEqualTo(1);
    assertThat(two.with(List.of())).isEqualTo(ApplyFailures.NONE);
  }
}
