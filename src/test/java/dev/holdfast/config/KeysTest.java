package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.schema.NearestKey;
import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.Modifier;
import java.net.URI;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class KeysTest {
  @Test
  @DisplayName("every key is in the table, once, with a description and a default of its own type")
  void table() throws Exception {
    Set<Object> declared = new HashSet<>();
    for (Field field : constants()) {
      declared.add(field.get(null));
    }
    assertThat(declared).hasSizeGreaterThan(20);
    assertThat(Keys.ALL.containsAll(declared)).isTrue();
    assertThat(Keys.ALL).doesNotHaveDuplicates();
    assertThat(Keys.ALL).allSatisfy(key -> assertThat(key.description()).endsWith("."));
    assertThat(Keys.ALL).allSatisfy(key -> assertThat(key.defaultValue()).isNotNull());
  }

  /** The keys of all sections, wherever in the package they are declared. */
  private static List<Field> constants() throws IOException, ClassNotFoundException {
    URI classes =
        URI.create(Keys.class.getProtectionDomain().getCodeSource().getLocation().toString());
    Path directory = Path.of(classes).resolve(Keys.class.getPackageName().replace('.', '/'));
    List<Field> constants = new ArrayList<>();
    try (DirectoryStream<Path> files = Files.newDirectoryStream(directory, "*.class")) {
      for (Path file : files) {
        String name = file.getFileName().toString().replace(".class", "");
        Class<?> type = Class.forName(Keys.class.getPackageName() + "." + name);
        for (Field field : type.getDeclaredFields()) {
          if (field.getType() == Key.class && Modifier.isStatic(field.getModifiers())) {
            field.setAccessible(true);
            constants.add(field);
          }
        }
      }
    }
    return constants;
  }

  @Test
  @DisplayName("no two keys have one environment name")
  void environmentNames() {
    List<String> names = Keys.ALL.stream().map(Key::environmentName).toList();
    assertThat(names)
        .doesNotHaveDuplicates()
        .contains("HOLDFAST_RETRY_CATEGORIES_API_ERROR_BASE_DELAY");
  }

  @Test
  @DisplayName("docs/configuration.md is what the table says")
  void page() throws IOException {
    assertThat(Path.of("docs/configuration.md")).exists();
    assertThat(Files.readString(Path.of("docs/configuration.md")))
        .as("stale; run: ./holdfast help config --markdown > docs/configuration.md")
        .isEqualTo(ConfigurationPage.markdown());
  }

  @Test
  @DisplayName("each section of the page stands there once, with all of its keys")
  void sections() {
    assertThat(ConfigurationPage.markdown().lines().filter(line -> line.startsWith("## ")))
        .doesNotHaveDuplicates();
  }

  @Test
  @DisplayName("the page never shows a secret's default, and names every key")
  void text() {
    assertThat(ConfigurationPage.text()).contains(Keys.ALL.stream().map(Key::name).toList());
  }

  @Test
  @DisplayName("edit distance")
  void distance() {
    assertThat(NearestKey.distance("", "abc")).isEqualTo(3);
    assertThat(NearestKey.distance("kitten", "sitting")).isEqualTo(3);
    assertThat(NearestKey.distance("same", "same")).isZero();
  }
}
