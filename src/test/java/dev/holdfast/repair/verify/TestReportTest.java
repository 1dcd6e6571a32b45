package dev.holdfast.repair.verify;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("Test reports")
class TestReportTest {
  @TempDir Path temp;

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "surefire.xml | 3 | demo.CalcTest.twice | expected: <4> but was: <5>",
        "gradle.xml | 1 | demo.CalcTest.twice() | java.lang.AssertionError: 5",
        "pytest.xml | 2 | tests.test_calc.test_twice[2-4] | assert 5 == 4",
        "node.xml | 2 | test.twice | Expected values to be strictly equal",
      })
  @DisplayName("of surefire, gradle, pytest and node name what failed")
  void read(String file, int tests, String name, String text) throws Exception {
    Path path = Path.of(Objects.requireNonNull(getClass().getResource(file)).toURI());
    TestReport report = TestReport.read(path);
    assertThat(report.tests()).isEqualTo(tests);
    assertThat(report.failed().getFirst().name()).isEqualTo(name);
    assertThat(report.failed().getFirst().text()).contains(text);
  }

  @Test
  @DisplayName("with more escaped characters than Java's parser takes by itself are read")
  void escaped() throws Exception {
    String one = "<testcase name='List&lt;A&amp;B&gt;'><system-out>&lt;a/&gt;</system-out>";
    Path file =
        Files.writeString(
            temp.resolve("escaped.xml"),
            "<testsuite>" + (one + "</testcase>").repeat(30_000) + "</testsuite>");
    assertThat(TestReport.read(file).tests()).isEqualTo(30_000);
  }

  @Test
  @DisplayName("that tell of more failures than anybody reads are cut, and say how many there are")
  void many() throws Exception {
    String one = "<testcase name='a'><failure>" + "<![CDATA[x]]>y".repeat(5000) + "</failure>";
    Path file =
        Files.writeString(
            temp.resolve("many.xml"),
            "<testsuite>"
                + (one + "</testcase>")
                + "<testcase name='b'><error/></testcase>".repeat(5000)
                + "</testsuite>");
    TestReport report = TestReport.read(file);
    assertThat(report.failed()).hasSize(1000);
    assertThat(report.more()).isEqualTo(4001);
    assertThat(report.tests()).isEqualTo(5001);
    assertThat(report.failed().getFirst().text()).startsWith("xyxy").hasSizeLessThan(4100);
  }

  @Test
  @DisplayName("cannot read files, open connections or grow in memory")
  void entities() throws Exception {
    Path secret = Files.writeString(temp.resolve("secret"), "secret");
    for (String declaration :
        new String[] {
          "<!ENTITY e SYSTEM \"" + secret.toUri() + "\">",
          "<!ENTITY a \"aaaaaaaaaa\"><!ENTITY b \"&a;&a;&a;&a;\"><!ENTITY e \"&b;&b;&b;&b;\">",
        }) {
      Path file =
          Files.writeString(
              temp.resolve("x.xml"),
              "<!DOCTYPE testsuite ["
                  + declaration
                  + "]><testsuite><testcase name='a'><failure>"
                  + "&e;</failure></testcase></testsuite>");
      assertThatThrownBy(() -> TestReport.read(file))
          .isInstanceOf(IOException.class)
          .hasMessageNotContaining("secret");
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "no xml",
        "<html><testcase/></html>",
        "<testsuite><testcase name='a'>",
        "<testsuite"
      })
  @DisplayName("that are none are an error")
  void broken(String text) throws Exception {
    Path file = Files.writeString(temp.resolve("x.xml"), text);
    assertThatThrownBy(() -> TestReport.read(file)).isInstanceOf(IOException.class);
  }
}
