package dev.holdfast.architecture;

import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/**
 * Makes {@code docs/behaviours.md} of the list of behaviours and of the ids in the tests' names.
 * {@code -Dbehaviours.write=true} writes the page anew.
 */
class BehavioursTest {
  private static final Path LIST = Path.of("src/test/resources/behaviours.txt");
  private static final Path PAGE = Path.of("docs/behaviours.md");
  private static final Path TESTS = Path.of("src/test/java");
  private static final Pattern NAME =
      Pattern.compile(
          "@(?:DisplayName|ParameterizedTest)\\(\\s*(?:name ="
              + " )?((?:\"(?:[^\"\\\\]|\\\\.)*\"\\s*\\+?\\s*)+)\\)");
  private static final Pattern RANGE = Pattern.compile("\\b([A-ET])(\\d+) to \\1?(\\d+)\\b");
  private static final Pattern ID = Pattern.compile("\\b[A-ET]\\d+\\b");
  private static final Map<String, String> CHAPTERS =
      Map.of(
          "A", "Tickets",
          "B", "Turns of a session",
          "C", "Tools",
          "D", "Auto-retry of a session",
          "E", "Calls of providers, repairs, patches, traces",
          "T", "Where two layers differ");

  /**
   * @param elsewhere where the reason is that no test has the id; empty where one has
   */
  private record Behaviour(String id, String sentence, String elsewhere) {
    static Behaviour of(String line) {
      List<String> cells = List.of(line.split(" \\| ", -1));
      return new Behaviour(cells.get(0), cells.get(1), cells.size() > 2 ? cells.get(2) : "");
    }
  }

  @Test
  @DisplayName("docs/behaviours.md says of every behaviour which tests hold it")
  void page() throws IOException {
    List<Behaviour> behaviours = list();
    Map<String, Set<String>> tests = tests();
    assertThat(behaviours).extracting(Behaviour::id).doesNotHaveDuplicates();
    assertThat(tests.keySet()).isSubsetOf(behaviours.stream().map(Behaviour::id).toList());
    for (Behaviour each : behaviours) {
      assertThat(tests.containsKey(each.id()) != each.elsewhere().isEmpty())
          .as("%s has either a test or a reason why not in %s", each.id(), LIST)
          .isFalse();
    }
    String page = page(behaviours, tests);
    if (Boolean.getBoolean("behaviours.write")) {
      Files.writeString(PAGE, page);
    }
    assertThat(PAGE)
        .as("make it anew: mvn test -Dtest=BehavioursTest -Dbehaviours.write=true")
        .hasContent(page);
  }

  private static List<Behaviour> list() throws IOException {
    return Files.readAllLines(LIST).stream()
        .filter(line -> !line.startsWith("#"))
        .map(Behaviour::of)
        .toList();
  }

  /** The classes of tests by the ids in the names of their tests. */
  private static Map<String, Set<String>> tests() throws IOException {
    Map<String, Set<String>> found = new HashMap<>();
    try (Stream<Path> files = Files.walk(TESTS)) {
      files
          .filter(file -> file.toString().endsWith(".java"))
          .forEach(
              file -> {
                String type = file.getFileName().toString().replace(".java", "");
                ids(file).forEach(id -> found.computeIfAbsent(id, x -> new TreeSet<>()).add(type));
              });
    }
    return found;
  }

  private static List<String> ids(Path file) {
    try {
      List<String> all = new ArrayList<>();
      for (MatchResult name : NAME.matcher(Files.readString(file)).results().toList()) {
        String text = name.group(1).replaceAll("\"\\s*\\+\\s*\"", "");
        ID.matcher(text).results().map(MatchResult::group).forEach(all::add);
        RANGE
            .matcher(text)
            .results()
            .flatMap(
                range ->
                    IntStream.rangeClosed(
                            Integer.parseInt(range.group(2)), Integer.parseInt(range.group(3)))
                        .mapToObj(number -> range.group(1) + number))
            .forEach(all::add);
      }
      return all;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static String page(List<Behaviour> behaviours, Map<String, Set<String>> tests) {
    StringBuilder page =
        new StringBuilder(
            """
            # Behaviours

            What Holdfast does, one sentence each, and the classes of tests that hold it: their tests' names have the id. A row that names
            a page or other ids instead has no test of its own; the reason is there. Made by `BehavioursTest` of
            `src/test/resources/behaviours.txt` and the tests.
            """);
    String chapter = "";
    for (Behaviour each : behaviours) {
      String letter = each.id().substring(0, 1);
      if (!letter.equals(chapter)) {
        chapter = letter;
        page.append("\n## %s: %s\n\n".formatted(letter, CHAPTERS.get(letter)))
            .append("| id | behaviour | tests |\n|---|---|---|\n");
      }
      String where =
          each.elsewhere().isEmpty()
              ? tests.getOrDefault(each.id(), Set.of()).stream()
                  .map("`%s`"::formatted)
                  .collect(joining(", "))
              : each.elsewhere();
      page.append("| %s | %s | %s |\n".formatted(each.id(), each.sentence(), where));
    }
    return page.toString();
  }
}
