package dev.holdfast.repair;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("What a repair's model is shown of the files")
class RelevantFilesTest {
  private final Map<String, String> files = new TreeMap<>();
  private int read;

  private String text(String hints) {
    return RelevantFiles.text(
        new RepairRepository.Sources() {
          @Override
          public List<String> files() {
            return List.copyOf(files.keySet());
          }

          @Override
          public Optional<String> text(String path) {
            read++;
            return Optional.ofNullable(files.get(path)).filter(text -> !text.equals("binary"));
          }
        },
        "",
        hints);
  }

  private static String lines(int number) {
    return IntStream.rangeClosed(1, number)
        .mapToObj(line -> "this is line " + line + ".\n")
        .collect(Collectors.joining());
  }

  @Test
  @DisplayName("a file that is not shown is said to be so, with its size")
  void notShown() {
    files.put("src/large.py", lines(3_000));
    files.put("src/other.py", lines(3_000));
    files.put("src/small.py", "x = 1\n");
    files.put("src/image.png", "binary");
    int size = lines(3_000).length();
    assertThat(text("large.py is wrong"))
        .contains(
            "src/image.png (not shown)\n",
            "src/large.py (" + size + " characters, not shown)\n",
            "src/other.py (" + size + " characters, not shown)\n",
            "src/small.py\n",
            "--- src/large.py ---\n(" + size + " characters, not shown)\n",
            "--- src/small.py ---\nx = 1\n")
        .doesNotContain("--- src/other.py", "--- src/image.png");
  }

  @Test
  @Timeout(30)
  @DisplayName(
      "of tens of thousands of files few are read, and a long text is not searched for each")
  void many() {
    String content = lines(200);
    IntStream.range(0, 20_000)
        .forEach(n -> files.put("src/p%s/Service%s.java".formatted(n % 100, n), content));
    files.put("src/z/Named.java", "class Named {}\n");
    String output = "Service.java is wrong, and SomeService1x.java, too\n".repeat(5_000);
    assertThat(text(output + "Named.java:1 is wrong")).contains("--- src/z/Named.java ---\n");
    assertThat(read).isLessThan(1_000);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "src/large.py:1500: wrong, src/large.py:1510, src/large.py:2900:7",
        "File \"/srv/src/large.py\", line 1500\\n File \"large.py\", line 1510, large.py(2900,1)",
        "large.py:[2900,3] large.py:1510 large.py:[1500,1] large.py:999999 large.py:0",
      })
  @DisplayName("of a large file the lines around those that a failure names are shown")
  void named(String hints) {
    files.put("src/large.py", lines(3_000));
    assertThat(text(hints))
        .contains("src/large.py\n", " characters, shown in part)\n(from line 1440 of 3000)\n")
        .contains("this is line 1440.\nthis is line 1441.\n")
        .contains("this is line 1570.\n(from line 2840 of 3000)\nthis is line 2840.\n")
        .endsWith("this is line 2960.\n")
        .containsOnlyOnce("this is line 1505.")
        .doesNotContain("this is line 1439.", "this is line 1571.", "not shown");
  }

  @Test
  @DisplayName("of many lines that a failure names as many are shown as there is room for")
  void room() {
    files.put("src/large.py", lines(9_000));
    String all =
        IntStream.range(1, 80)
            .mapToObj(at -> "large.py:" + at * 100)
            .collect(Collectors.joining(" "));
    assertThat(text(all)).hasSizeBetween(20_000, 31_000).contains("this is line 100.\n");
    files.put("src/large.py", "x".repeat(200_000));
    assertThat(text("large.py:1")).contains("(200000 characters, not shown)");
  }
}
