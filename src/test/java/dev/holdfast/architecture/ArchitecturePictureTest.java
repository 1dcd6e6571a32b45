package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ArchitecturePictureTest {
  private static final Path PAGE = Path.of("docs/architecture.md");

  @Test
  @DisplayName("docs/architecture.md shows the imports as they are")
  void page() throws IOException {
    String page = new ArchitecturePicture(MainClasses.BASE, MainClasses.ALL).page();
    if (Boolean.getBoolean("architecture.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(Files.readString(PAGE))
        .as("write it again: src/etc/dev.sh ArchitecturePictureTest -Darchitecture.write=true")
        .isEqualTo(page);
  }

  @Test
  @DisplayName("docs/packages.md has every package, in its own words")
  void packages() throws IOException {
    Path file = Path.of("docs/packages.md");
    String page = PackageTable.in(Files.readString(file));
    if (Boolean.getBoolean("architecture.write")) {
      Files.writeString(file, page);
    }
    assertThat(Files.readString(file))
        .as("write it again: src/etc/dev.sh ArchitecturePictureTest -Darchitecture.write=true")
        .isEqualTo(page);
  }

  @Test
  @DisplayName("the picture leaves out an arrow only where a longer way leads to the same package")
  void shortest() {
    Map<String, Set<String>> imports =
        Map.of(
            "app", Set.of("web", "queue", "ticket", "log"),
            "web", Set.of("queue"),
            "queue", Set.of("ticket"),
            "ticket", Set.of(),
            "log", Set.of());
    assertThat(ArchitecturePicture.shortest(imports))
        .containsOnly(
            Map.entry("app", Set.of("web", "log")),
            Map.entry("web", Set.of("queue")),
            Map.entry("queue", Set.of("ticket")),
            Map.entry("ticket", Set.of()),
            Map.entry("log", Set.of()));
  }
}
