package dev.holdfast.failure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.holdfast.failure.LabelledErrors.Labelled;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Tag("slow")
class ClassifierPropertyTest {
  private static final long SEED = Long.getLong("classifier.seed", 20261121L);
  private static final List<Labelled> TEXTS = LabelledErrors.read("errors_examples.jsonl").texts();
  private static final int MEGABYTES = 10;

  /** Code that runs for the first time takes longer than the bound of the large texts allows. */
  @BeforeAll
  static void warmUp() {
    TEXTS.forEach(each -> classify(each.text()));
  }

  private static Failure classify(String text) {
    return Classifier.standard().classify(ErrorReport.ofText(text));
  }

  @Test
  @DisplayName(
      "A10: no text of random bytes, cuts and mixtures throws, and the answer is the same twice")
  void randomTexts() {
    Random random = new Random(SEED);
    for (int i = 0; i < 400; i++) {
      String text = randomText(random);
      assertThatCode(() -> assertThat(classify(text)).isEqualTo(classify(text)))
          .as("seed %d, text %d", SEED, i)
          .doesNotThrowAnyException();
    }
  }

  private static String randomText(Random random) {
    String some = TEXTS.get(random.nextInt(TEXTS.size())).text();
    String other = TEXTS.get(random.nextInt(TEXTS.size())).text();
    return switch (random.nextInt(4)) {
      case 0 -> bytes(random);
      case 1 -> some.substring(0, random.nextInt(some.length() + 1)) + other;
      case 2 -> some + bytes(random) + other;
      default -> surrogates(random) + some;
    };
  }

  private static String bytes(Random random) {
    byte[] bytes = new byte[random.nextInt(600)];
    random.nextBytes(bytes);
    return new String(
        bytes, random.nextBoolean() ? StandardCharsets.UTF_8 : StandardCharsets.ISO_8859_1);
  }

  private static String surrogates(Random random) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < random.nextInt(40); i++) {
      text.append((char) (0xD7F0 + random.nextInt(0x830)));
    }
    return text.toString();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        " ",
        "a",
        "1",
        "(",
        "\"",
        "\\",
        "\n",
        " ",
        "\t",
        "*",
        "`",
        "'",
        "[",
        "-",
        "at ",
        "error ",
        "expected ",
        "5",
        "503 ",
        "1s ",
        "retry ",
        "a.",
        "a/",
        "code: ",
        "\\\"",
        "Caused by: ",
        "{\"code\":",
        "E   ",
        "timeout ",
        "Error: ",
        "_",
        "-a",
        "\ud83d\ude00",
        "错误",
        "try again in 1s ",
        "Connection ",
        "x:1:1: ",
        "\u001b[",
        "fatal: ",
        "api "
      })
  @Timeout(value = 20, unit = TimeUnit.SECONDS)
  @DisplayName("A54: a repeated text of 10 MB is classified without catastrophe")
  void largeRepetitions(String part) {
    String text = part.repeat(MEGABYTES * 1_000_000 / part.length());
    ThreadMXBean threads = ManagementFactory.getThreadMXBean();
    long start = threads.getCurrentThreadCpuTime();
    classify(text);
    long millis = TimeUnit.NANOSECONDS.toMillis(threads.getCurrentThreadCpuTime() - start);
    // processor time, so that a busy machine does not matter; about 150 ms are usual
    assertThat(millis).as(part).isLessThan(1_000);
  }

  @Test
  @DisplayName("A54: the root cause is found at the head, in the middle and at the end of 10 MB")
  void largeLogs() {
    String noise = "INFO step done\n".repeat(300_000);
    String cause = "Caused by: java.lang.ClassCastException: no\n";
    assertThat(classify(cause + noise).category()).isEqualTo(Category.CODE_ERROR);
    assertThat(classify(noise + cause + noise).category()).isEqualTo(Category.CODE_ERROR);
    assertThat(classify(noise + cause).category()).isEqualTo(Category.CODE_ERROR);
    assertThat(classify(noise).category()).isEqualTo(Category.UNKNOWN);
  }
}
