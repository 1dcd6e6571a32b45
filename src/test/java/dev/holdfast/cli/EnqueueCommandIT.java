package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.cli.output.Words;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
@EverySetup
class EnqueueCommandIT {
  @TempDir Path directory;

  private final TestDatabase database;
  private final Cli cli;

  EnqueueCommandIT(TestDatabase database) {
    this.database = database;
    this.cli = Cli.on(database);
  }

  @Test
  @DisplayName("enqueue prints the new id, and every flag is stored")
  void flags() throws SQLException {
    Cli.Result result =
        cli.run(
            "enqueue",
            "--kind",
            "command",
            "--title",
            "a title",
            "--payload",
            "{\"n\": 1}",
            "--queue",
            "mail",
            "--priority",
            "7",
            "--at",
            "2036-01-02T03:04:05+01:00",
            "--key",
            "k1",
            "--max-cost",
            "2.50");

    assertThat(result.err()).isEmpty();
    assertThat(result.code()).isZero();
    long id = Long.parseLong(result.out().strip());
    assertThat(
            Cli.query(
                database,
                "SELECT concat_ws('|', kind, title, payload, queue, priority, retry_after AT TIME"
                    + " ZONE 'UTC', unique_key, max_cost_usd, state) FROM holdfast.tickets WHERE id"
                    + " = "
                    + id))
        .isEqualTo("command|a title|{\"n\": 1}|mail|7|2036-01-02 02:04:05|k1|2.50|ready");
  }

  @Test
  @DisplayName("issue 23: --after names the tickets that must be done first")
  void after() throws SQLException {
    String first = cli.run("enqueue", "--kind", "command").out().strip();
    String second = cli.run("enqueue", "--kind", "command").out().strip();
    String last =
        cli.run("enqueue", "--kind", "command", "--after", first + "," + second).out().strip();
    assertThat(
            Cli.query(
                database,
                "SELECT string_agg(after_id::text, ',' ORDER BY after_id) FROM"
                    + " holdfast.ticket_dependencies WHERE ticket_id = "
                    + last))
        .isEqualTo(first + "," + second);
    Cli.Result unknown = cli.run("enqueue", "--kind", "command", "--after", "999999999");
    assertThat(unknown.code()).isNotZero();
    assertThat(unknown.err()).contains("there is no ticket 999999999 to wait for");
    assertThat(cli.run("enqueue", "--kind", "command", "--after", "x").code()).isNotZero();
    assertThat(cli.run("enqueue", "--file", "-", "--after", "1").err())
        .contains("--file goes alone");
  }

  @Test
  @DisplayName("issue 23: --expires is a time or a span; anything else is refused with its name")
  void expires() throws SQLException {
    String in = cli.run("enqueue", "--kind", "command", "--expires", "90m").out().strip();
    String at =
        cli.run("enqueue", "--kind", "command", "--expires", "2036-11-30T09:00:00+01:00")
            .out()
            .strip();
    assertThat(
            Cli.query(
                database,
                "SELECT string_agg((d.expires_at - t.created_at)::text, ',') FROM"
                    + " holdfast.ticket_deadlines d JOIN holdfast.tickets t ON t.id = d.ticket_id"
                    + " WHERE d.ticket_id = "
                    + in))
        .isEqualTo("01:30:00");
    assertThat(
            Cli.query(
                database,
                "SELECT expires_at AT TIME ZONE 'UTC' FROM holdfast.ticket_deadlines WHERE"
                    + " ticket_id = "
                    + at))
        .isEqualTo("2036-11-30 08:00:00");
    for (String bad : List.of("soon", "", "-5m", "2036-11-30", "2020-01-01T00:00:00Z", "0s")) {
      Cli.Result refused = cli.run("enqueue", "--kind", "command", "--expires", bad);
      assertThat(refused.code()).as(bad).isNotZero();
      assertThat(refused.err()).as(bad).containsPattern("--expires|expire");
    }
    assertThat(cli.run("enqueue", "--file", "-", "--expires", "1h").err())
        .contains("--file goes alone");
  }

  @Test
  @DisplayName("a key that exists gives the first ticket's id again")
  void sameKey() {
    String first = cli.run("enqueue", "--kind", "command", "--key", "same").out();
    assertThat(cli.run("enqueue", "--kind", "command", "--key", "same", "--json").out().strip())
        .isEqualTo("{\"id\":" + first.strip() + "}");
  }

  @Test
  @DisplayName("a delay is counted by the database's clock")
  void delay() throws SQLException {
    String id = cli.run("enqueue", "--kind", "command", "--delay", "5m").out().strip();
    assertThat(
            Cli.query(
                database,
                "SELECT retry_after - created_at BETWEEN interval '299 s' AND interval '301 s' FROM"
                    + " holdfast.tickets WHERE id = "
                    + id))
        .isEqualTo("t");
  }

  @Test
  @DisplayName("the payload from a file, and from standard input")
  void payloadFile() throws IOException, SQLException {
    Path file = Files.writeString(directory.resolve("p.json"), "{\"from\": \"file\"}");
    String first = cli.run("enqueue", "--kind", "command", "--payload", "@" + file).out().strip();
    String second =
        cli.runWithInput("{\"from\": \"stdin\"}", "enqueue", "--kind", "command", "--payload", "@-")
            .out()
            .strip();

    String payload = "SELECT payload->>'from' FROM holdfast.tickets WHERE id = ";
    assertThat(Cli.query(database, payload + first)).isEqualTo("file");
    assertThat(Cli.query(database, payload + second)).isEqualTo("stdin");
  }

  @Test
  @DisplayName("many from a file, all or none; existing keys are skipped and said")
  void file() throws IOException, SQLException {
    List<String> lines = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      lines.add(
          "{\"kind\": \"command\", \"queue\": \"bulk\", \"payload\": {\"i\": "
              + i
              + "}, \"delay\": \"1h\"}");
    }
    lines.add("");
    lines.add(
        "{\"kind\": \"command\", \"queue\": \"bulk\", \"unique_key\": \"twice\", \"max_cost_usd\":"
            + " 1.5, \"priority\": 3}");
    lines.add("{\"kind\": \"command\", \"queue\": \"bulk\", \"unique_key\": \"twice\"}");
    Path file = Files.write(directory.resolve("t.jsonl"), lines);

    Cli.Result result = cli.run("enqueue", "--file", file.toString());

    assertThat(result.err()).isEmpty();
    assertThat(result.out().strip())
        .matches("added 501 as batch \\d+; 1 had a unique_key that exists already");
    assertThat(Cli.query(database, "SELECT count(*) FROM holdfast.tickets WHERE queue = 'bulk'"))
        .isEqualTo("501");
  }

  @Test
  @DisplayName("numbers in the payloads of a file keep their digits, as those of --payload do")
  void digitsOfAFile() throws SQLException, IOException {
    String numbers = "{\"e\": 1e40, \"big\": 12345678901234567.25, \"money\": 1.10}";
    Path file = directory.resolve("digits.jsonl");
    Files.writeString(
        file, "{\"kind\": \"command\", \"queue\": \"digits\", \"payload\": %s}".formatted(numbers));
    cli.run("enqueue", "--kind", "command", "--queue", "digits", "--payload", numbers);

    Cli.Result result = cli.run("enqueue", "--file", file.toString());

    assertThat(result.code()).as(result.err()).isZero();
    assertThat(
            Cli.query(
                database,
                "SELECT count(*) || ' times ' || min(payload::text) FROM holdfast.tickets"
                    + " WHERE queue = 'digits' GROUP BY payload::text"))
        .contains("2 times ", "12345678901234567.25", "1.10");
    Files.writeString(file, "{\"kind\": \"command\", \"payload\": {\"e\": 1e99999999999}}");
    assertThat(cli.run("enqueue", "--file", file.toString()).err())
        .contains("--file: line 1: has a number whose exponent is beyond all bounds");
  }

  @Test
  @DisplayName("enqueue --file calls a payload with too many levels, or too long a name, just that")
  void levelsOfAFile() throws IOException {
    Path file = directory.resolve("levels.jsonl");
    Files.writeString(
        file, "{\"kind\": \"command\", \"payload\": " + "[".repeat(500) + "]".repeat(500) + "}");
    assertThat(cli.run("enqueue", "--file", file.toString()).err())
        .contains("--file: line 1: has more than 500 levels; nothing was added");
    Files.writeString(
        file, "{\"kind\": \"command\", \"payload\": {\"" + "n".repeat(60_000) + "\": 1}}");
    assertThat(cli.run("enqueue", "--file", file.toString()).err())
        .contains("--file: line 1: is beyond the bounds of JSON here: Name length (")
        .contains("exceeds the maximum allowed (50000)")
        .doesNotContain("twice");
  }

  @Test
  @DisplayName("a line of a graph without a name is called by its number, blank lines counted")
  void numbersOfLines() throws IOException {
    Path file = directory.resolve("graph.jsonl");
    Files.writeString(
        file,
        "{\"kind\": \"command\", \"name\": \"a\"}\n\n"
            + "{\"kind\": \"command\", \"after\": [\"a\"]}\n");
    Cli.Result result = cli.run("enqueue", "--file", file.toString());
    assertThat(result.out()).as(result.err()).contains("a: ", "line 3: ");
  }

  @Test
  @DisplayName("a directory in the place of the file is wrong usage, and the line says so")
  void directoryForFile() {
    Cli.Result result = cli.run("enqueue", "--file", directory.toString());
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err())
        .contains("\"" + directory + "\": it is a directory; name a file")
        .hasLineCount(1);
  }

  @Test
  @DisplayName("standard input that is no UTF-8 is refused, not changed")
  void badInput() {
    assertThatThrownBy(
            () ->
                Words.textOrFile(
                    "--payload",
                    "@-",
                    new ByteArrayInputStream(new byte[] {'"', (byte) 0xe9, '"'})))
        .hasMessage("--payload: standard input is not UTF-8 text");
  }

  @Test
  @DisplayName("a file may begin with a byte order mark, as some editors write it")
  void byteOrderMark() throws IOException {
    Path file = directory.resolve("bom.jsonl");
    Files.writeString(file, "\uFEFF{\"kind\": \"command\"}\r\n");
    Cli.Result result = cli.run("enqueue", "--file", file.toString());
    assertThat(result.out().strip()).as(result.err()).matches("added 1 as batch \\d+");
  }

  @Test
  @DisplayName(
      "lines may wait for others by id, and have keys that hold for a time, however many they are")
  void anyNumberOfLines() throws IOException, SQLException {
    String first = cli.run("enqueue", "--kind", "command").out().strip();
    Files.writeString(directory.resolve("b.jsonl"), "{\"kind\": \"command\"}");
    String batch =
        cli.run("enqueue", "--file", directory.resolve("b.jsonl").toString())
            .out()
            .strip()
            .replaceAll(".* batch ", "");
    List<String> lines =
        new ArrayList<>(
            Collections.nCopies(10_000, "{\"kind\": \"command\", \"queue\": \"rest\"}"));
    lines.add(
        "{\"kind\": \"command\", \"queue\": \"rest\", \"unique_key\": \"r\", \"unique_for\":"
            + " \"open\", \"on_duplicate\": \"replace\", \"after\": {\"one\": "
            + first
            + "}, \"on_cancelled\": \"run\", \"after_batch\": "
            + batch
            + "}");
    Path file = Files.write(directory.resolve("t.jsonl"), lines);

    Cli.Result result = cli.run("enqueue", "--file", file.toString());

    assertThat(result.out().strip()).as(result.err()).matches("added 10001 as batch \\d+");
    assertThat(
            Cli.query(
                database,
                "SELECT concat_ws(' ', d.name, d.on_cancelled, f.batch_id) FROM holdfast.tickets t"
                    + " JOIN holdfast.ticket_dependencies d ON d.ticket_id = t.id JOIN"
                    + " holdfast.batch_followers f ON f.ticket_id = t.id WHERE t.unique_key = 'r'"))
        .isEqualTo("one run " + batch);
    assertThat(cli.run("enqueue", "--kind", "k", "--after", "a=1,b=1").err())
        .contains("ticket 1 has two names");
    // What the database has no advice for ends with its words.
    Files.writeString(
        file,
        "{\"kind\": \"k\", \"name\": \"one\"}\n{\"kind\": \"k\", \"after\": [\"one\", {\"one\": "
            + first
            + "}]}");
    assertThat(cli.run("enqueue", "--file", file.toString()).err())
        .endsWith("two tickets of after have the name \"one\"\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "not json",
        "[1]",
        "{}",
        "{\"kind\": \"a\", \"design\": \"b\"}",
        "{\"kind\": 5}",
        "{\"kind\": \"command\", \"priority\": \"high\"}",
        "{\"kind\": \"command\", \"delay\": \"soon\"}",
        "{\"kind\": \"command\", \"run_at\": \"tomorrow\"}",
        "{\"kind\": \"command\", \"run_at\": \"infinity\"}",
        "{\"kind\": \"command\", \"prio\": 1}",
        "{\"kind\": \"command\", \"kind\": \"agent\"}",
        "{\"kind\": \"command\", \"title\": \"no UTF-8: é\"}",
        "{\"kind\": \"command\", \"max_cost_usd\": -1}",
        "{\"kind\": \"command\", \"after\": 17}",
        "{\"kind\": \"command\", \"after\": [{\"a\": \"b\"}]}",
        "{\"kind\": \"command\", \"after\": [1.5]}",
        "{\"kind\": \"command\", \"after_batch\": \"7\"}",
        "{\"kind\": \"command\", \"unique_key\": \"a\", \"unique_for\": \"soon\"}",
      })
  @DisplayName("a bad line is named, and nothing is added")
  void badLine(String bad) throws IOException, SQLException {
    Path file = directory.resolve("t.jsonl");
    Files.writeString(
        file,
        "{\"kind\": \"command\", \"queue\": \"badline\"}\n\n" + bad + "\n",
        StandardCharsets.ISO_8859_1);

    Cli.Result result = cli.run("enqueue", "--file", file.toString());

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).startsWith("holdfast: --file: line 3: ").hasLineCount(1);
    assertThat(Cli.query(database, "SELECT count(*) FROM holdfast.tickets WHERE queue = 'badline'"))
        .isEqualTo("0");
  }

  @Test
  @DisplayName("a design that is not there is exit code 3")
  void unknownDesign() {
    Cli.Result result = cli.run("enqueue", "--design", "nope");
    assertThat(result.code()).isEqualTo(3);
    assertThat(result.err()).contains("nope").hasLineCount(1);
  }

  @Test
  @DisplayName("garbage in each argument is exit code 2 and one line")
  void garbage() {
    List<List<String>> lines =
        List.of(
            List.of("enqueue"),
            List.of("enqueue", "--design", "a", "--kind", "b"),
            List.of("enqueue", "--kind", "command", "--payload", "{"),
            List.of("enqueue", "--kind", "command", "--payload", "@/no/such/file"),
            List.of("enqueue", "--kind", "command", "--payload", "@\0"),
            List.of("enqueue", "--kind", "command", "--priority", "high"),
            List.of("enqueue", "--kind", "command", "--priority", "99999999999"),
            List.of("enqueue", "--kind", "command", "--delay", "-5m"),
            List.of("enqueue", "--kind", "command", "--delay", "5 parsecs"),
            List.of("enqueue", "--kind", "command", "--at", "2026-11-30T09:00:00"),
            List.of("enqueue", "--kind", "command", "--at", "infinity"),
            List.of("enqueue", "--kind", "command", "--at=-infinity"),
            List.of("enqueue", "--kind", "command", "--at", "+292278994-08-17T07:12:55.807Z"),
            List.of(
                "enqueue", "--kind", "command", "--at", "2036-01-01T00:00:00Z", "--delay", "5m"),
            List.of("enqueue", "--kind", "command", "--queue", "a b; DROP TABLE"),
            List.of("enqueue", "--kind", "command", "--max-cost", "-1"),
            List.of("enqueue", "--kind", "command", "--max-cost", "1e999999"),
            List.of("enqueue", "--kind", "workflow", "--max-cost", "1"),
            List.of("enqueue", "--kind", "command", "--title", "nul \0 here"),
            List.of("enqueue", "--kind", "command", "--bogus"),
            List.of("enqueue", "--kind", "command", "extra"),
            List.of("enqueue", "--file", "/no/such/file"),
            List.of("enqueue", "--file", "x.jsonl", "--queue", "q"));
    for (List<String> line : lines) {
      Cli.Result result = cli.run(line.toArray(String[]::new));
      assertThat(result.code()).as("%s: %s", line, result.err()).isEqualTo(2);
      assertThat(result.err())
          .as("%s", line)
          .startsWith("holdfast: ")
          .hasLineCount(1)
          .doesNotContain("Exception");
      assertThat(result.out()).as("%s", line).isEmpty();
    }
  }
}
