package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.Maven;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * What takes four times as long as compiling runs here, beside tests that wait, so that {@code mvn
 * test} need not wait for it.
 */
@Tag("slow")
@Order(1)
class ChecksIT {
  @Test
  @Timeout(value = 30, unit = TimeUnit.MINUTES)
  @DisplayName(
      "Error Prone, NullAway and the formatter find nothing: mvn -Pchecks process-test-classes")
  void checks() throws Exception {
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
}
