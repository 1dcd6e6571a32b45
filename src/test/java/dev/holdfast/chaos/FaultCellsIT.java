package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Faults under load. A few short cells run with all tests; {@code -Dchaos.cell=NAME,...} or {@code
 * all} chooses others, for {@code -Dchaos.seconds} each.
 */
@Tag("chaos")
class FaultCellsIT {
  @TempDir private Path directory;

  static List<String> cells() {
    String chosen = System.getProperty("chaos.cell", "");
    return chosen.isEmpty()
        ? Cells.SHORT
        : chosen.equals("all") ? List.copyOf(Cells.all().keySet()) : List.of(chosen.split(","));
  }

  @ParameterizedTest(
      name = "{0}: no ticket is lost or finished twice, and all that ran has a reason")
  @MethodSource("cells")
  void cell(String name) throws Exception {
    assertThat(Cells.all()).containsKey(name);
    Cell cell = Objects.requireNonNull(Cells.all().get(name));
    cell.home(directory.resolve("server"));
    try (Chaos chaos = new Chaos(Options.of(name), directory)) {
      try {
        chaos.run(cell);
      } finally {
        Files.writeString(Path.of("target", "chaos-" + name + ".log"), chaos.logs());
      }
    } finally {
      cell.leave();
    }
  }
}
