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
import java.util.Objects;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What the pages of workflows, schedules and batches show is typed, in the order of the pages. */
@Tag("slow")
@WithDatabase
@Timeout(300)
class PageCommandsIT {
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern ID = Pattern.compile("\\s+(?:#|--) (\\d+)$");
  private static final Pattern COMMENT = Pattern.compile("\\s+# .*$");
  private static final Pattern IN_TABLE =
      Pattern.compile("`((?:show|hold|release|replay|cancel) 30[^`]*)`");

  private static final int TICKETS = 20;

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
    return holdfast.ok(words(command));
  }

  private String[] words(String command) {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(COMMENT.matcher(command).replaceFirst(""));
    while (matcher.find()) {
      String word =
          IntStream.rangeClosed(1, 3)
              .mapToObj(matcher::group)
              .filter(Objects::nonNull)
              .findFirst()
              .orElseThrow();
      words.add(word.startsWith("@") ? "@" + directory.resolve(word.substring(1)) : word);
    }
    return words.toArray(String[]::new);
  }

  /** Statements and commands in blocks, in order. */
  private static List<String> typed(String page) {
    return page.lines()
        .map(line -> line.replaceFirst("^(    )?\\$ ", ""))
        .filter(line -> line.startsWith("holdfast ") || line.startsWith("SELECT "))
        .toList();
  }

  /** Where the page says which id a ticket gets, it gets that one. */
  private String run(String line) {
    Matcher id = ID.matcher(line);
    boolean named = id.find();
    if (named) {
      next(sequence(line), Long.parseLong(id.group(1)));
    }
    String answer =
        line.startsWith("SELECT ")
            ? String.join("\n", rows.column(line.replaceFirst(";.*$", "")))
            : type(line.substring("holdfast ".length()));
    if (named) {
      assertThat(answer).as(line).isEqualTo(id.group(1));
    }
    return answer;
  }

  private static String sequence(String line) {
    return line.contains("_batch(")
        ? "batches"
        : line.contains("release(") ? "releases" : "ticket_base";
  }

  /** The id that comes next of these. */
  private void next(String table, long id) {
    rows.column("SELECT setval('holdfast." + table + "_id_seq', ?, false)", id);
  }

  @Test
  @DisplayName("docs/workflows.md: each command and statement, with a worker")
  void workflows() throws Exception {
    String page = page("workflows.md");
    Files.writeString(
        directory.resolve("graph.jsonl"), block(page, "{\"name\": \"report\", \"design\""));
    Files.writeString(directory.resolve("news.yaml"), block(page, "kind: workflow\n"));
    design("fetch", "echo \"{\\\"items\\\": [1, 2]}\"");
    design("clean", "true");
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
    next("ticket_base", 2_000);
    design("report", "true");
    List<String> lines = typed(page("schedules.md"));
    assertThat(lines).hasSize(7);
    assertThat(run(lines.get(0))).matches("nightly: next 20\\d\\d-.*T0[12]:00:00Z");
    assertThat(run(lines.get(1))).startsWith("sync: next 20");
    assertThat(run(lines.get(2)))
        .contains("nightly", "0 3 * * 1-5 Europe/Berlin", "every 15m", "report");
    // A worker reckons them again after the put in SQL, and here is none.
    assertThat(run(lines.get(5)).lines()).as("the next ten runs").hasSize(10);
    run(lines.get(3));
    assertThat(run(lines.get(4))).contains("nightly", "sync");
    assertThat(rows.of(Long.parseLong(run(lines.get(6))), "title")).isEqualTo("nightly");
    for (String each : List.of("show", "pause", "resume", "run", "delete")) {
      assertThat(type("schedule " + each + " nightly")).as(each).isNotEmpty();
    }
  }

  @Test
  @DisplayName("docs/batches.md: each command and statement")
  void batches() throws Exception {
    next("ticket_base", 1_000);
    design("price", "true");
    design("report", "true");
    Files.writeString(
        directory.resolve("tickets.jsonl"), "{\"design\": \"price\"}\n".repeat(TICKETS));
    List<HoldfastProcess> followed = new ArrayList<>();
    int done = 0;
    for (String line : typed(page("batches.md"))) {
      done++;
      if (line.contains(" -w")) {
        // It follows until the end, which a later command makes.
        HoldfastProcess follower = holdfast.start(words(line.substring("holdfast ".length())));
        follower.awaitOutput(Pattern.compile(" of " + TICKETS));
        followed.add(follower);
        continue;
      }
      before(line);
      // It says how to follow it on the other stream.
      String answer =
          line.contains("--canary")
              ? holdfast.run(words(line.substring("holdfast ".length()))).stdout().strip()
              : run(line);
      if (line.startsWith("holdfast enqueue --file")) {
        assertThat(answer).isEqualTo("added " + TICKETS + " as batch 7");
      } else if (line.startsWith("holdfast batch show")) {
        assertThat(answer)
            .contains("batch 7 \"prices of November\", by ", "\n0 of " + TICKETS + "\n")
            .contains("ready " + TICKETS + ", in progress 0, on hold 0, in review 0, done 0");
      } else if (line.contains("--canary")) {
        assertThat(answer)
            .isEqualTo("release 4, step 1 of 4: released 3 of " + TICKETS + ", 3 wait");
      } else if (line.contains("release_status")) {
        assertThat(answer).startsWith("1");
      }
    }
    assertThat(done).isEqualTo(22);
    holdfast.worker();
    for (HoldfastProcess each : followed) {
      assertThat(each.awaitOutcome().exit()).isZero();
    }
    assertThat(
            rows.column(
                "SELECT release_id || ' ' || state FROM holdfast.release_status() ORDER BY 1"))
        .containsExactly("4 stopped", "5 stopped");
    assertThat(
            rows.column(
                "SELECT id FROM holdfast.batches WHERE cancelled_at IS NOT NULL ORDER BY 1"))
        .containsExactly("7", "9");
  }

  /** Ids of the page, and what is on hold before its releases. */
  private void before(String line) {
    if (line.startsWith("holdfast enqueue --file")) {
      next("batches", 7);
    } else if (line.contains("--fingerprint") || line.contains("start_release")) {
      next("releases", line.startsWith("SELECT") ? 5 : 4);
      rows.column(
          "WITH new AS MATERIALIZED (SELECT holdfast.enqueue_ticket(design => 'price') AS id FROM"
              + " generate_series(1, ?)) SELECT holdfast.hold_ticket(id, 'ann', 'it failed') FROM"
              + " new",
          TICKETS);
      rows.column(
          "UPDATE holdfast.ticket_base SET error = 'no prices.csv', error_category ="
              + " 'system_error', error_fingerprint = '3f2a9c1b00000000' WHERE state = 'on_hold'"
              + " RETURNING id");
      rows.column(
          "UPDATE holdfast.held SET category = 'system_error', fingerprint = '3f2a9c1b00000000'"
              + " RETURNING id");
    }
  }
}
