package dev.holdfast.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.access.Role;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The tables of {@code docs/security.md}: who stands in them, and whether the tests exist. */
class ThreatModelTest {
  private static final Path PAGE = Path.of("docs/security.md");
  private static final Path ROLES = Path.of("db/migrations/R__1_roles.sql");
  private static final Pattern TEST = Pattern.compile("`(\\w+(?:Test|IT))`");
  private static final Pattern ROLE = Pattern.compile("'(holdfast_[a-z]+)'");
  private static final List<String> ACTORS =
      List.of(
          "ticket author",
          "model",
          "tool",
          "MCP server",
          "viewer",
          "operator",
          "producer",
          "designer",
          "worker",
          "neighbour on the host",
          "hostile repository");

  /** A row of a table whose last column says what holds it. */
  private record Row(String who, String heldBy) {}

  private static List<Row> rows() throws IOException {
    List<Row> rows = new ArrayList<>();
    boolean inTable = false;
    for (String line : Files.readAllLines(PAGE)) {
      if (!line.startsWith("|")) {
        inTable = false;
      } else if (line.endsWith("held by |")) {
        inTable = true;
      } else if (inTable && !line.startsWith("|---")) {
        String[] cells = line.substring(1, line.length() - 1).split("\\|", -1);
        rows.add(new Row(cells[0].strip(), cells[cells.length - 1].strip()));
      }
    }
    return rows;
  }

  private static Set<String> classes() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("src/test/java"))) {
      Set<String> names = new TreeSet<>();
      files
          .map(file -> String.valueOf(file.getFileName()))
          .filter(name -> name.endsWith(".java"))
          .forEach(name -> names.add(name.substring(0, name.length() - ".java".length())));
      return names;
    }
  }

  @Test
  @DisplayName("issue 20, 2.5: each claim names tests that exist, or says that nothing holds it")
  void tests() throws IOException {
    Set<String> classes = classes();
    assertThat(rows()).hasSizeGreaterThan(30);
    for (Row row : rows()) {
      List<String> named = TEST.matcher(row.heldBy()).results().map(each -> each.group(1)).toList();
      assertThat(named.isEmpty()).as(row.who()).isEqualTo(row.heldBy().equals("nothing"));
      assertThat(classes).as(row.who()).containsAll(named);
    }
  }

  @Test
  @DisplayName("issue 20, 2.5: every actor, every role of the database and of the web has a row")
  void actors() throws IOException {
    Set<String> wanted = new TreeSet<>();
    ACTORS.forEach(actor -> wanted.add("**" + actor + "**"));
    for (Role role : Role.values()) {
      if (role != Role.ANYONE) {
        wanted.add("**" + role.name().toLowerCase(Locale.ROOT) + "**");
      }
    }
    ROLE.matcher(Files.readString(ROLES))
        .results()
        .map(MatchResult::group)
        .forEach(name -> wanted.add(name.replace('\'', '`')));
    List<String> who = rows().stream().map(Row::who).toList();
    assertThat(wanted).hasSizeGreaterThan(12);
    for (String each : wanted) {
      assertThat(who).as(each).anyMatch(cell -> cell.contains(each));
    }
  }
}
