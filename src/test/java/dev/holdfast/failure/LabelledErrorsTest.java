package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.LabelledErrors.Labelled;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class LabelledErrorsTest {
  private static final LabelledErrors EXAMPLES = LabelledErrors.read("errors_examples.jsonl");
  private static final LabelledErrors CORPUS = LabelledErrors.read("errors_corpus.jsonl");

  @Test
  @DisplayName("A5-A13: every one of the labelled examples gets an accepted category")
  void examplesAreRight() {
    assertThat(EXAMPLES.texts()).hasSizeGreaterThan(150);
    assertThat(EXAMPLES.complaints()).isEmpty();
  }

  @Test
  @DisplayName("A13, A24: status and retry hint of the examples are what their text states")
  void examplesStateStatusAndHint() {
    assertThat(wrongStatuses(EXAMPLES)).isEmpty();
    assertThat(wrongHints(EXAMPLES)).isEmpty();
  }

  @Test
  @DisplayName("A5-A13: at least 95 % of the corpus and 90 % of its tricky texts are right")
  void corpusIsMostlyRight() {
    String report = CORPUS.byKind() + "\n" + String.join("\n", CORPUS.complaints());

    assertThat(CORPUS.texts()).hasSizeGreaterThan(500);
    assertThat(CORPUS.accuracy(false)).as(report).isGreaterThanOrEqualTo(0.95);
    assertThat(CORPUS.accuracy(true)).as(report).isGreaterThanOrEqualTo(0.90);
  }

  @Test
  @DisplayName("A13, A24: status and retry hint of 97 % of the corpus are what its texts state")
  void corpusStatesStatusAndHint() {
    assertThat(wrongStatuses(CORPUS)).hasSizeLessThan(CORPUS.texts().size() * 3 / 100);
    assertThat(wrongHints(CORPUS)).hasSizeLessThan(CORPUS.texts().size() * 3 / 100);
  }

  @Test
  @DisplayName("A5-A13: no category is right by neglect of another")
  void everyCategoryIsMostlyRight() {
    for (Category category : Category.values()) {
      List<Labelled> texts =
          CORPUS.texts().stream()
              .filter(each -> each.accept().getFirst().equals(category.wireName()))
              .toList();
      assertThat(texts).hasSizeGreaterThan(20);
      assertThat(new LabelledErrors(texts).accuracy(false))
          .as(category.wireName())
          .isGreaterThan(0.9);
    }
  }

  private static List<String> wrongStatuses(LabelledErrors errors) {
    return errors.texts().stream()
        .filter(each -> !each.hasRightStatus())
        .map(each -> each.id() + ": got " + each.failure().httpStatus())
        .toList();
  }

  private static List<String> wrongHints(LabelledErrors errors) {
    return errors.texts().stream()
        .filter(each -> !each.hasRightHint())
        .map(each -> each.id() + ": got " + each.failure().retryAfter())
        .toList();
  }
}
