package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The published artefact, used by a project that knows nothing of this repository. */
@WithDatabase
@Tag("slow")
class ForeignProjectIT {
  private static final int MOST_JARS = 15;
  private static final long MOST_BYTES = 12_000_000;

  @Test
  @DisplayName(
      "a project outside the repository migrates, enqueues and works with at most 15 jars of 12 MB,"
          + " on the class path and on the module path")
  void embeds(@TempDir Path directory, TestDatabase database) throws Exception {
    try (ForeignProject project = new ForeignProject(directory)) {
      List<Path> libraries = project.libraries();
      long bytes = 0;
      for (Path library : libraries) {
        bytes += Files.size(library);
      }
      assertThat(libraries).hasSizeLessThanOrEqualTo(MOST_JARS);
      assertThat(bytes).as("bytes in %s", libraries).isLessThanOrEqualTo(MOST_BYTES);

      String[] arguments = {database.jdbcUrl(), database.user(), database.password()};
      assertThat(project.runOnClassPath(libraries, arguments))
          .contains("module null: done, forgotten true");
      assertThat(project.runOnModulePath(libraries, arguments))
          .contains("module shop: done, forgotten true");
    }
  }
}
