package dev.holdfast.architecture;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Every package in one line: the first sentence of its {@code package-info}. */
final class PackageTable {
  private static final Path BASE = Path.of("src/main/java/dev/holdfast");
  private static final String MARK =
      "<!-- written by ArchitecturePictureTest from the packages' own words -->\n";
  private static final String END = "<!-- to here -->";

  private static final Pattern COMMENT = Pattern.compile("/\\*\\*(.*?)\\*/", Pattern.DOTALL);
  private static final Pattern TAG = Pattern.compile("\\{@(?:code|link) (?:[a-z.]+\\.)?([^}]+)}");
  private static final Pattern FIRST_SENTENCE = Pattern.compile("(.*?\\.)(?= |$)");

  private PackageTable() {}

  /** The page with the table anew. */
  static String in(String page) throws IOException {
    int begin = page.indexOf(MARK) + MARK.length();
    return page.substring(0, begin) + table() + page.substring(page.indexOf(END, begin));
  }

  private static String table() throws IOException {
    try (Stream<Path> files = Files.walk(BASE)) {
      List<Path> infos =
          files
              .filter(each -> each.endsWith("package-info.java"))
              .sorted((one, other) -> name(one).compareTo(name(other)))
              .toList();
      return infos.stream()
          .map(each -> "| `%s` | %s |\n".formatted(name(each), sentence(each)))
          .collect(Collectors.joining("", "| package | what |\n|---|---|\n", ""));
    }
  }

  private static String name(Path info) {
    String name = BASE.relativize(info.getParent()).toString().replace('/', '.');
    return name.isEmpty() ? "dev.holdfast" : name;
  }

  private static String sentence(Path info) {
    String comment =
        COMMENT.matcher(read(info)).results().findFirst().map(each -> each.group(1)).orElseThrow();
    String words = comment.replaceAll("\\s*\n\\s*\\*?\\s*", " ").strip();
    String plain = TAG.matcher(words).replaceAll(PackageTable::code);
    return FIRST_SENTENCE
        .matcher(plain)
        .results()
        .findFirst()
        .map(each -> each.group(1))
        .orElse(plain);
  }

  private static String code(MatchResult tag) {
    return "`" + tag.group(1) + "`";
  }

  private static String read(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
