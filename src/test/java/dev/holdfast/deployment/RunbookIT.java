package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.Cli;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The runbook and the alerts belong together, and what the runbook says can be typed. */
@WithDatabase
@EverySetup
class RunbookIT {
  private static final Pattern SECTION = Pattern.compile("(?m)^## (\\S+)$");

  /** In a line of its own or as code in a sentence. */
  private static final Pattern COMMAND =
      Pattern.compile("(?m)(?:^ {4}|`)holdfast ([^`\\n]+?)(?:`|$)");

  private static final Pattern WORD = Pattern.compile("\"([^\"]*)\"|\\S+");
  private static final Pattern SQL = Pattern.compile("(?s)```sql\\n(.*?)```");

  private static String page() throws IOException {
    return Files.readString(Path.of("docs/runbook.md"));
  }

  @Test
  @DisplayName(
      "issue 20, 2.6: each alert has its section, each section its alert, and the alert's"
          + " runbook_url leads there")
  void sections() throws IOException {
    List<String> alerts = new ArrayList<>();
    for (JsonNode rule :
        Yaml.documents(Path.of("deploy/alerts.yaml")).getFirst().at("/groups/0/rules")) {
      String alert = rule.path("alert").asString();
      alerts.add(alert);
      assertThat(rule.at("/annotations/runbook_url").asString())
          .isEqualTo("docs/runbook.md#" + alert.toLowerCase(Locale.ROOT));
    }
    assertThat(SECTION.matcher(page()).results().map(match -> match.group(1)))
        .containsExactlyElementsOf(alerts);
    for (String section : page().split("(?m)^## ", -1)) {
      if (!section.startsWith("#")) {
        assertThat(section)
            .contains("**For users:**", "**Look:**", "**Do:**", "**Wake somebody:**");
      }
    }
  }

  @Test
  @DisplayName("issue 20, 2.6: every command of the runbook exists, with its options")
  void commands() throws IOException {
    List<String> commands = COMMAND.matcher(page()).results().map(match -> match.group(1)).toList();
    assertThat(commands).hasSizeGreaterThan(20);
    Cli cli = Cli.withoutDatabase();
    for (String command : commands) {
      Stream<String> words =
          WORD.matcher(command.replace(" --help", "") + " --help")
              .results()
              .map(MatchResult::group)
              .map(word -> word.replace("\"", ""));
      Cli.Result result = cli.run(words.toArray(String[]::new));
      assertThat(result.code()).as("%s: %s", command, result.err()).isZero();
      assertThat(result.out()).as(command).contains("Usage: holdfast " + command.split(" ")[0]);
    }
  }

  @Test
  @DisplayName("issue 20, 2.6: every statement of the runbook asks for what there is")
  void statements(TestDatabase database) throws IOException, SQLException {
    try (Connection connection = database.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      int count = 0;
      for (MatchResult block : SQL.matcher(page()).results().toList()) {
        for (String each : block.group(1).strip().split(";\\s*")) {
          statement.execute("EXPLAIN " + each);
          count++;
        }
      }
      assertThat(count).isGreaterThan(4);
    }
  }
}
