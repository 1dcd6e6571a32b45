package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** docs/examples/java, as somebody who copies it has it. */
@Tag("slow")
class ExampleProjectIT {
  @Test
  @EnabledOnOs(value = OS.LINUX, architectures = "amd64", disabledReason = "other binaries")
  @DisplayName("the example project's tests pass with the published artefact and its test helpers")
  void passes(@TempDir Path directory) throws Exception {
    try (ForeignProject project =
        new ForeignProject(Path.of("docs/examples/java").toAbsolutePath(), directory)) {
      assertThat(project.test("shop.MailerTest"))
          .contains("Tests run: 8, Failures: 0, Errors: 0, Skipped: 0");
    }
  }
}
