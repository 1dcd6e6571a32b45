package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.LabelledErrors.Labelled;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Leaving out what cannot match must not change a single answer. What goes through all texts does
 * it once, in one language: mixtures in any letter case are enough for the others.
 */
@Tag("slow")
class ClassifierShortcutsTest {
  private static final long SEED = Long.getLong("classifier.seed", 20261121L);
  private static final Classifier QUICK = Classifier.standard();
  private static final Classifier SLOW = QUICK.withoutShortcuts();
  private static final List<String> TEXTS = texts();

  private static List<String> texts() {
    List<String> texts = new ArrayList<>();
    for (String resource : List.of("errors_examples.jsonl", "errors_corpus.jsonl")) {
      LabelledErrors.read(resource).texts().stream().map(Labelled::text).forEach(texts::add);
    }
    return texts;
  }

  @Test
  @DisplayName("A5-A13: answers are the same with and without shortcuts, for all labelled texts")
  void labelledTexts() {
    for (String text : TEXTS) {
      assertSame(ErrorReport.ofText(text));
    }
  }

  @Test
  @DisplayName("A5-A13: and for mixtures of them in any letter case")
  void mixtures() {
    Random random = new Random(SEED);
    for (int i = 0; i < 300; i++) {
      String one = TEXTS.get(random.nextInt(TEXTS.size()));
      String other = TEXTS.get(random.nextInt(TEXTS.size()));
      String text = one.substring(random.nextInt(one.length() + 1)) + "\n" + other;
      assertSame(ErrorReport.ofText(random.nextInt(4) == 0 ? text.toUpperCase(Locale.ROOT) : text));
    }
  }

  @Test
  @DisplayName("A5-A13: and where a status, an exit code or an exception is known")
  void knownFacts() {
    for (int i = 0; i < TEXTS.size(); i += 7) {
      assertSame(ErrorReport.ofText(TEXTS.get(i)).withHttpStatus(503).withExitCode(2));
      assertSame(ErrorReport.ofThrowable(thrown(TEXTS.get(i))));
    }
  }

  /** With the frames of this class only: those of the test's runner are read a thousand times. */
  private static Throwable thrown(String text) {
    Throwable thrown = new IllegalStateException(text);
    thrown.setStackTrace(Arrays.copyOf(thrown.getStackTrace(), 3));
    return thrown;
  }

  private static void assertSame(ErrorReport report) {
    assertThat(QUICK.classify(report)).isEqualTo(SLOW.classify(report));
  }

  @Test
  @DisplayName("A24: a guarded expression finds what it finds without its guard")
  void guardedExpressions() {
    for (String text : TEXTS) {
      String folded = LiteralIndex.fold(text);
      for (GuardedPattern guarded : guarded()) {
        assertThat(guarded.matcher(text, folded).find())
            .as("%s in %s", guarded.pattern(), text)
            .isEqualTo(guarded.pattern().matcher(text).find());
      }
    }
  }

  private static List<GuardedPattern> guarded() {
    List<GuardedPattern> guarded = new ArrayList<>(RetryHintParser.GUARDED);
    guarded.addAll(RootCause.GUARDED);
    guarded.addAll(ExitCodeFinder.GUARDED);
    return guarded;
  }

  @Test
  @DisplayName("A13: a status is found the same in the whole text as around its numbers")
  void statusRegion() {
    for (String text : TEXTS) {
      assertThat(HttpStatusFinder.find(text))
          .as(text)
          .isEqualTo(HttpStatusFinder.find(text, 0, text.length()));
    }
  }

  @Test
  @DisplayName("A13, A24: an expression tried at some places finds what it finds at all places")
  void placedExpressions() {
    List<PlacedPattern> placed = new ArrayList<>(HttpStatusFinder.PATTERNS);
    placed.addAll(StructuredBody.PATTERNS);
    placed.add(RetryHintParser.PROSE);
    for (String text : TEXTS) {
      assertSameMatches(placed, text);
    }
  }

  @Test
  @DisplayName("A step of the fingerprint that is tried at some places finds what it finds at all")
  void fingerprintSteps() {
    List<PlacedPattern> placed = new ArrayList<>(List.of(Fingerprint.NAMING));
    Fingerprint.STEPS.stream().map(Fingerprint.Step::pattern).forEach(placed::add);
    for (String text : TEXTS) {
      assertSameMatches(placed, text.toLowerCase(Locale.ROOT));
    }
  }

  @Test
  @DisplayName("A step of the fingerprint that is left out would have changed nothing")
  void fingerprintStepsLeftOut() {
    for (String text : TEXTS) {
      String line = text.toLowerCase(Locale.ROOT);
      for (Fingerprint.Step step : Fingerprint.STEPS) {
        assertThat(step.apply(line))
            .as("%s in %s", step.pattern(), line)
            .isEqualTo(step.pattern().pattern().matcher(line).replaceAll(step.replacement()));
      }
    }
  }

  private static void assertSameMatches(List<PlacedPattern> placed, String text) {
    for (PlacedPattern pattern : placed) {
      List<String> found = new ArrayList<>();
      PlacedPattern.Search search = pattern.in(text);
      while (search.find()) {
        found.add(search.match().start() + ": " + search.match().group());
      }
      List<String> all =
          pattern.pattern().matcher(text).results().map(m -> m.start() + ": " + m.group()).toList();
      assertThat(found).as("%s in %s", pattern.pattern(), text).isEqualTo(all);
    }
  }
}
