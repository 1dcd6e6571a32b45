package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@WithDatabase
@EverySetup
class LimitCommandIT {
  private static final Path PAGE = Path.of("docs/limits.md");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

  private final Cli cli;
  private final TicketDatabase database;

  LimitCommandIT(TestDatabase database) {
    this.cli = Cli.on(database);
    this.database = new TicketDatabase(database);
  }

  private static String[] words(String line) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(line);
    while (matcher.find()) {
      words.add(matcher.group(1) == null ? matcher.group(2) : matcher.group(1));
    }
    return words.toArray(String[]::new);
  }

  private static String squeezed(String text) {
    return text.strip().replaceAll(" +", " ");
  }

  @Test
  @DisplayName("what docs/limits.md shows is what happens: commands and SQL in its order")
  void page() throws Exception {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('sync', 1,"
            + " 'command', '{}')");
    database.run("ALTER SEQUENCE holdfast.ticket_base_id_seq RESTART");
    List<String> shown = Files.readAllLines(PAGE);
    int commands = 0;
    for (int i = 0; i < shown.size(); i++) {
      String line = shown.get(i);
      if (line.startsWith("    $ holdfast ")) {
        StringBuilder expected = new StringBuilder();
        while (i + 1 < shown.size() && shown.get(i + 1).matches("    [^$].*")) {
          expected.append(squeezed(shown.get(++i))).append('\n');
        }
        String[] words = words(line.substring("    $ holdfast ".length()));
        if (words[0].equals("limit") && !words[1].equals("list")) {
          words = words(String.join(" ", words) + " --by ann");
        }
        Cli.Result result = cli.run(words);
        assertThat(result.err()).as(line).isEmpty();
        assertThat(result.lines().stream().map(LimitCommandIT::squeezed).toList())
            .as(line)
            .isEqualTo(expected.toString().lines().toList());
        commands++;
      } else if (line.startsWith("SELECT ")) {
        database.rows(line.replaceFirst(";$", ""));
        commands++;
      }
    }
    assertThat(commands).isEqualTo(19);
    assertThat(database.value("SELECT payload->>'rev' FROM holdfast.tickets WHERE id = 5"))
        .isEqualTo("2");
    assertThat(cli.run("limit", "list").err()).contains("holdfast limit set queue:NAME");
  }

  @Test
  @DisplayName("what cannot be a limit is one line and exit code 2; what is not there exit code 3")
  void garbage() {
    database.run("INSERT INTO holdfast.queues (name) VALUES ('odd')");
    for (String bad :
        List.of(
            "set queue:odd",
            "set queue:odd --concurrent 0",
            "set queue:odd --concurrent -1",
            "set queue:odd --concurrent many",
            "set queue:odd --rate 100",
            "set queue:odd --rate 0/1m",
            "set queue:odd --rate 1/0s",
            "set queue:odd --rate 5/fortnight",
            "set queue:odd --rate -5/1m",
            "set queue:odd --rate 99999999999/1m",
            "set queue:odd --burst 3",
            "set odd --concurrent 1",
            "weight acme 0",
            "weight acme")) {
      Cli.Result result = cli.run(words("limit " + bad));
      assertThat(result.code()).as("%s: %s", bad, result.err()).isEqualTo(2);
      assertThat(result.err()).startsWith("holdfast: ").hasLineCount(1).doesNotContain("Exception");
    }
    for (String missing :
        List.of(
            "set queue:nope --concurrent 1",
            "set design:nope --concurrent 1",
            "remove queue:odd",
            "remove nonsense")) {
      Cli.Result result = cli.run(words("limit " + missing));
      assertThat(result.code()).as("%s: %s", missing, result.err()).isEqualTo(3);
      assertThat(result.err()).hasLineCount(1);
    }
    for (String bad :
        List.of(
            "--unique soon --key k",
            "--unique open",
            "--on-duplicate drop --key k",
            "--on-duplicate refuse",
            "--expires 0s",
            "--concurrency-key " + "x".repeat(10_000),
            "--fairness-key ''")) {
      Cli.Result result = cli.run(words("enqueue --kind k " + bad));
      assertThat(result.code()).as("%s: %s", bad, result.err()).isEqualTo(2);
      assertThat(result.err()).startsWith("holdfast: ").hasLineCount(1);
    }
  }
}
