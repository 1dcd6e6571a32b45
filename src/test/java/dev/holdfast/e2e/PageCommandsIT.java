package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the pages of workflows and schedules show is typed, in the order of the pages. */
@Tag("slow")
@WithDatabase
@Timeout(300)
class PageCommandsIT {
  private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");
  private static final Pattern ID = Pattern.compile("\\s+# (\\d+)$");
  private static final Pattern IN_TABLE =
      Pattern.compile("`((?:show|hold|release|replay|cancel) 30[^`]*)`");

  private final TicketRows rows;
  private final Path directory;
  @AutoClose private final Installation holdfast;

  PageCommandsIT(TestDatabase database, @TempDir Path directory) {
    this.rows = new TicketRows(database.dataSource());
    this.directory = directory;
    this.holdfast = Installation.on(database, directory);
  }

  private static String page(String name) throws IOException {
    return Files.readString(Path.of("docs", name));
  }

  private static String block(String page, String begin) {
    int at = page.indexOf(begin);
    return page.substring(at, page.indexOf("```", at));
  }

  private void design(String name, String script) throws Exception {
    Files.writeString(
        directory.resolve("design.yaml"),
        "{kind: command, review: none, command: [sh, -c, '" + script + "']}");
    holdfast.ok("design", "put", name, "--file", "design.yaml");
  }

  private String type(String command) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(ID.matcher(command).replaceFirst(""));
    while (matcher.find()) {
      String word = matcher.group(1) == null ? matcher.group(2) : matcher.group(1);
      words.add(word.startsWith("@") ? "@" + directory.resolve(word.substring(1)) : word);
    }
    return holdfast.ok(words.toArray(String[]::new));
  }

  /** Statements and commands in blocks, in order. */
  private static List<String> typed(String page) {
    return page.lines()
        .map(line -> line.startsWith("    $ ") ? line.substring(6) : line)
        .filter(line -> line.startsWith("holdfast ") || line.startsWith("SELECT "))
        .toList();
  }

  /** Where the page says which id a ticket gets, it gets that one. */
  private String run(String line) {
    if (line.startsWith("SELECT ")) {
      return String.join("\n", rows.column(line.replaceFirst(";$", "")));
    }
    Matcher id = ID.matcher(line);
    boolean named = id.find();
    if (named) {
      rows.column(
          "SELECT setval('holdfast.ticket_base_id_seq', ?, false)", Long.valueOf(id.group(1)));
    }
    String answer = type(line.substring("holdfast ".length()));
    if (named) {
      assertThat(answer).as(line).isEqualTo(id.group(1));
    }
    return answer;
  }

  @Test
  @DisplayName("docs/workflows.md: each command and statement, with a worker")
  void workflows() throws Exception {
    String page = page("workflows.md");
    for (String each : List.of("fetch", "clean", "report")) {
      Files.writeString(directory.resolve(each + ".json"), "{\"command\": [\"true\"]}");
    }
    Files.writeString(
        directory.resolve("graph.jsonl"), block(page, "{\"name\": \"report\", \"design\""));
    Files.writeString(directory.resolve("news.yaml"), block(page, "kind: workflow\n"));
    design("fetch", "echo \"{\\\"items\\\": [1, 2]}\"");
    design("report", "true");
    design("summarise", "echo \"{\\\"sum\\\": 1}\"");
    design("publish", "true");
    int done = 0;
    for (String line : typed(page)) {
      if (line.contains("--design news")) {
        holdfast.worker();
      } else if (line.contains(" answer 34 ")) {
        rows.awaitState(34, "on_hold");
      }
      String answer = run(line);
      if (line.contains("waiting_tickets")) {
        assertThat(answer).contains("19");
      } else if (line.contains("graph.jsonl")) {
        assertThat(answer).contains("added 2 as batch ", "report: ", "fetch: ");
      } else if (line.contains("--tree")) {
        assertThat(answer).contains("approve after each: ");
      }
      done++;
    }
    assertThat(done).isEqualTo(12);
    rows.awaitState(30, "done");
    inTable(page);
  }

  /** What the table of the page does to a workflow. */
  private void inTable(String page) throws Exception {
    List<String> commands =
        IN_TABLE.matcher(page).results().map((MatchResult each) -> each.group(1)).toList();
    assertThat(commands)
        .containsExactly(
            "show 30 --tree",
            "release 30",
            "hold 30 --reason WHY",
            "cancel 30 --reason WHY",
            "replay 30 --from each");
    long replayed = Long.parseLong(type(commands.get(4)));
    await("it asks again")
        .until(
            () ->
                !rows.column(
                        "SELECT 1 FROM holdfast.workflow_steps WHERE workflow_id = ? AND step ="
                            + " 'approve' AND on_hold = 1",
                        replayed)
                    .isEmpty());
    for (int each : new int[] {2, 1, 0, 3}) {
      type(commands.get(each).replace(" 30", " " + replayed));
    }
    assertThat(rows.of(replayed, "state")).isEqualTo("cancelled");
  }

  @Test
  @DisplayName("docs/schedules.md: each command and statement")
  void schedules() throws Exception {
    design("report", "true");
    List<String> lines = typed(page("schedules.md"));
    assertThat(lines).hasSize(6);
    assertThat(run(lines.get(0))).matches("nightly: next 20\\d\\d-.*T0[12]:00:00Z");
    assertThat(run(lines.get(1))).startsWith("sync: next 20");
    assertThat(run(lines.get(2)))
        .contains("nightly", "0 3 * * 1-5 Europe/Berlin", "every 15m", "report");
    run(lines.get(3));
    assertThat(run(lines.get(4))).contains("nightly", "sync");
    assertThat(rows.of(Long.parseLong(run(lines.get(5))), "title")).isEqualTo("nightly");
    for (String each : List.of("show", "pause", "resume", "run", "delete")) {
      assertThat(type("schedule " + each + " nightly")).as(each).isNotEmpty();
    }
  }
}
