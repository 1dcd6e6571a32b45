package dev.holdfast.embedding;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.postgres.Migrations;
import java.io.InputStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RenamedPackagesTest {
  @Test
  @DisplayName(
      "where a jar of all renames packages, migrations are found: no constant has their place"
          + " behind other words")
  void migrations() throws Exception {
    try (InputStream file = Migrations.class.getResourceAsStream("Migrations.class")) {
      assertThat(new String(file.readAllBytes(), ISO_8859_1))
          .contains("dev/holdfast/db-migrations")
          .doesNotContain(":dev/holdfast");
    }
  }
}
