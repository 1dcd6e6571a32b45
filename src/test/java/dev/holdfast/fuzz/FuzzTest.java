package dev.holdfast.fuzz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * The kept inputs of each target, and mutants of them: always the same ones. {@code -Dfuzz.mutants}
 * says how many for each target. The search for new ones is Jazzer's: docs/reliability.md.
 */
@Order(1) // it takes long
class FuzzTest {
  private static final int MUTANTS = Integer.getInteger("fuzz.mutants", 100);
  private static final Duration MOST_PER_INPUT = Duration.ofSeconds(4);
  private static final Path FOUND = Path.of("target/fuzz");
  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  static List<FuzzTarget> targets() {
    return FuzzTargets.ALL;
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("targets")
  @Timeout(120)
  @DisplayName("every kept input, and every mutant of one, is read or refused as promised")
  void targetHolds(FuzzTarget target) throws IOException {
    Map<String, byte[]> corpus = Corpus.of(target);
    assertThat(corpus).as("inputs of %s", target.name()).hasSizeGreaterThanOrEqualTo(3);
    for (Map.Entry<String, byte[]> input : corpus.entrySet()) {
      run(target, input.getKey(), input.getValue());
    }
    Mutator mutator = new Mutator(seed(target), List.copyOf(corpus.values()));
    for (int i = 0; i < MUTANTS; i++) {
      run(target, "mutant " + i, mutator.next());
    }
  }

  /** Not a hash code: the same in every JVM. */
  private static long seed(FuzzTarget target) {
    CRC32 sum = new CRC32();
    sum.update(target.name().getBytes(StandardCharsets.UTF_8));
    return sum.getValue();
  }

  private static void run(FuzzTarget target, String name, byte[] input) throws IOException {
    long before = THREADS.getCurrentThreadCpuTime();
    try {
      target.check().on(input);
    } catch (Exception | StackOverflowError | AssertionError e) {
      fail("%s, %s, kept as %s: %s", target.name(), name, kept(target, input), e);
    }
    Duration spent = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - before);
    if (spent.compareTo(MOST_PER_INPUT) > 0) {
      fail("%s, %s, kept as %s: took %s", target.name(), name, kept(target, input), spent);
    }
  }

  private static Path kept(FuzzTarget target, byte[] input) throws IOException {
    CRC32 sum = new CRC32();
    sum.update(input);
    Path file = FOUND.resolve(target.name() + "-" + HexFormat.of().toHexDigits(sum.getValue(), 8));
    Files.createDirectories(FOUND);
    return Files.write(file, input);
  }
}
