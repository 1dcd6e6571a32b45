package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.Maven;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What takes four times as long as compiling runs beside the compiler in {@code mvn verify}, and
 * otherwise here, beside tests that wait, so that {@code mvn test} need not wait for it.
 */
@Tag("slow")
@Order(1)
class ChecksIT {
  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  @DisplayName(
      "Error Prone, NullAway and the formatter find nothing: mvn -Pchecks process-test-classes")
  void checks() throws Exception {
    if (foundNothingBeside()) {
      return;
    }
    String found =
        Maven.run(
            Path.of("").toAbsolutePath(),
            Maven.repository(),
            "-Pchecks",
            "-Dbuild.to=target/checks",
            "clean",
            "process-test-classes");
    assertThat(found).doesNotContain("[ERROR]");
  }

  /**
   * Waits for what this build began; whatever that found is found here once more, with its words.
   */
  private static boolean foundNothingBeside() throws Exception {
    Path process = Path.of("target/checks-beside");
    if (!"false".equals(System.getProperty("checks.later")) || !Files.exists(process)) {
      return false;
    }
    long id = Long.parseLong(Files.readString(process).strip());
    Optional<ProcessHandle> running = ProcessHandle.of(id);
    if (running.isPresent()) {
      running.get().onExit().get();
    }
    return Files.deleteIfExists(Path.of("target/checks-good"));
  }
}
