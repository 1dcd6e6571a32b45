package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which integration tests run a second time, on the oldest PostgreSQL and in another language. */
class EverySetupTest {
  private static final Path TESTS = Path.of("src/test/java/dev/holdfast");

  /** What these do is mostly text and time. */
  private static final Set<String> TEXT_AND_TIME =
      Set.of("ticket", "queue", "failure", "retry", "schedule", "config", "cli", "telemetry");

  /** These hold statements, or write their own. */
  private static final Set<String> SQL = Set.of("postgres", "protocol", "deployment");

  /**
   * Elsewhere the statements of the package postgres run again: one class of a layer is enough, and
   * two of workflows.
   */
  private static final List<String> LAYERS =
      List.of(
          "e2e/RetryIT",
          "web/TicketApiIT",
          "worker/WorkerIT",
          "workflow/WorkflowIT",
          "workflow/WorkflowItemsIT",
          "workflow/WorkflowPeopleIT");

  private record Source(Path path, String text) {
    static Source read(Path path) {
      try {
        return new Source(TESTS.relativize(path), Files.readString(path));
      } catch (IOException e) {
        throw new AssertionError(path.toString(), e);
      }
    }

    String name() {
      return path.toString().replace('\\', '/').replaceFirst("\\.java$", "");
    }

    boolean usesDatabase() {
      return text.contains("import dev.holdfast.testing.TestDatabase;");
    }

    boolean runsTwice() {
      return text.contains("\n@EverySetup");
    }

    boolean mustRunTwice() {
      String area = path.getName(0).toString();
      return TEXT_AND_TIME.contains(area) || (SQL.contains(area) && usesDatabase());
    }
  }

  private static List<Source> tests() throws IOException {
    try (Stream<Path> files = Files.walk(TESTS)) {
      return files.filter(path -> path.toString().endsWith("IT.java")).map(Source::read).toList();
    }
  }

  @Test
  @DisplayName(
      "integration tests of SQL, text and time have @EverySetup; those with a tag need not")
  void tagged() throws IOException {
    assertThat(tests())
        .filteredOn(Source::mustRunTwice)
        .hasSizeGreaterThan(90)
        .filteredOn(each -> !each.runsTwice() && !each.text().contains("\n@Tag("))
        .extracting(Source::name)
        .isEmpty();
  }

  @Test
  @DisplayName(
      "of the other integration tests that use a database one of each layer has @EverySetup")
  void frugal() throws IOException {
    assertThat(tests())
        .filteredOn(each -> !each.mustRunTwice() && each.usesDatabase() && each.runsTwice())
        .extracting(Source::name)
        .containsExactlyInAnyOrderElementsOf(LAYERS);
  }
}
