package dev.holdfast.embedding;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class OptionalPartsTest {
  private static final Pattern DEPENDENCY =
      Pattern.compile(
          "<groupId>([^<]+)</groupId>\\s*<artifactId>([^<]+)</artifactId>\\s*"
              + "<version>[^<]+</version>\\s*(?:<scope>runtime</scope>\\s*)?<optional>true");
  private static final Pattern IMPORT =
      Pattern.compile(
          "<artifactId>([^<]+-bom)</artifactId>\\s*<version>\\$\\{([^}]+)\\}</version>");

  private final String pom = read("pom.xml");
  private final String page = read("docs/embedding.md");

  private static String read(String file) {
    try {
      return Files.readString(Path.of(file));
    } catch (java.io.IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  @Test
  @DisplayName("the page on embedding names each optional dependency of the POM")
  void named() {
    List<String> optional = new ArrayList<>();
    Matcher each = DEPENDENCY.matcher(pom);
    while (each.find()) {
      optional.add(each.group(1) + ":" + each.group(2));
    }
    assertThat(optional).hasSizeGreaterThan(15);
    assertThat(optional)
        .allSatisfy(coordinate -> assertThat(page).contains("`" + coordinate + "`"));
  }

  @Test
  @DisplayName("the page on embedding names the imported BOMs in the POM's versions")
  void imports() {
    Matcher each = IMPORT.matcher(pom);
    int found = 0;
    for (; each.find(); found++) {
      String version = pom.split("<" + each.group(2) + ">", 2)[1].split("<", 2)[0];
      assertThat(page)
          .containsPattern(
              "<artifactId>" + each.group(1) + "</artifactId>\\s*<version>" + version + "<");
    }
    assertThat(found).isEqualTo(2);
  }
}
