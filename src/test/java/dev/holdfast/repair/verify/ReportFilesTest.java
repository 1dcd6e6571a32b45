package dev.holdfast.repair.verify;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@DisplayName("The reports of a verification")
@Timeout(120)
class ReportFilesTest {
  private static final String REPORT = "<testsuite/>";

  @TempDir private Path temp;

  @ParameterizedTest
  @DisplayName("A glob's **/ is any number of directories, none too, as in git and in builds")
  @CsvSource({
    "**/out/*.xml, out/a.xml",
    "**/out/*.xml, m/n/out/a.xml",
    "out/**/*.xml, out/a.xml",
    "out/**/*.xml, out/b/c/a.xml",
    "**/out/**/*.xml, out/a.xml",
    "**/*.xml, a.xml",
    "'{**/out,x}/*.xml', out/a.xml",
    "'{x/y,**/out}/*.xml', out/a.xml"
  })
  void anyDepth(String glob, Path file) throws Exception {
    Path report = temp.resolve("reports").resolve(file);
    Files.createDirectories(report.getParent());
    Files.writeString(report, REPORT);
    assertThat(new ReportFiles(temp.resolve("reports"), glob).find()).containsExactly(report);
  }

  @ParameterizedTest
  @DisplayName("A glob's other stars match what they did")
  @CsvSource({"out**/*.xml, out.xml", "**/out/*.xml, out.xml", "a/**/b.xml, ab.xml"})
  void otherStars(String glob, Path file) throws Exception {
    Files.writeString(temp.resolve(file), REPORT);
    assertThat(new ReportFiles(temp, glob).find()).isEmpty();
  }

  @Test
  @DisplayName("A glob of many **/ is no work without end")
  void manyStars() throws Exception {
    String glob = "**/".repeat(333) + "*.xml";
    Files.writeString(temp.resolve("a.xml"), REPORT);
    assertThat(new ReportFiles(temp, glob).find()).isNotNull();
  }
}
