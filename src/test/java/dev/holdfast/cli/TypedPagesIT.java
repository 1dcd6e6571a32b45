package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.ForgeTables;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * The commands that pages show are typed, on tickets, batches and designs of their names. Pages
 * that tell a story have a test of their own, which tells it.
 */
@WithDatabase
@EverySetup
class TypedPagesIT {
  private static final List<String> TOLD_ELSEWHERE =
      List.of(
          "batches.md: e2e/CanaryIT",
          "limits.md: cli/LimitCommandIT",
          "schedules.md: e2e/PageCommandsIT",
          "start.md: e2e/StartPageIT",
          "workflows.md: e2e/PageCommandsIT");

  /** What goes on until somebody ends it, or needs a worker's session, by the test that has one. */
  private static final Map<Pattern, String> NEEDS_MORE = new LinkedHashMap<>();

  static {
    NEEDS_MORE.put(Pattern.compile("demo"), "e2e/DemoIT");
    NEEDS_MORE.put(Pattern.compile("worker( .*)?"), "cli/ServerCommandsTest");
    NEEDS_MORE.put(Pattern.compile("console --port 0"), "e2e/StartPageIT");
    NEEDS_MORE.put(Pattern.compile("bench .*"), "e2e/BenchIT");
    NEEDS_MORE.put(Pattern.compile("watch"), "cli/WatchCommandIT");
    NEEDS_MORE.put(Pattern.compile("logs 17 -f"), "e2e/JobFactsIT");
    NEEDS_MORE.put(Pattern.compile("release 17 .*--(approve|deny)-call.*"), "e2e/ApprovalIT");
    NEEDS_MORE.put(Pattern.compile("release undo .*"), "cli/TicketCommandsIT");
    NEEDS_MORE.put(Pattern.compile("answer 1[78] .*"), "e2e/QuestionIT");
    NEEDS_MORE.put(Pattern.compile("auto-retry 17 off"), "cli/SessionCommandsIT");
    NEEDS_MORE.put(Pattern.compile("abort-retry 1[79]"), "cli/SessionCommandsIT");
    NEEDS_MORE.put(Pattern.compile("show 17 --transcript"), "cli/SessionCommandsIT");
  }

  private static final Map<String, String> STATES =
      Map.of(
          "release", "on_hold",
          "design", "on_hold",
          "approve", "needs_review",
          "reject", "needs_review");

  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(?:sh)?\\n(.*?)^```");
  private static final Pattern INDENTED = Pattern.compile("(?m)^ {4,7}((?:\\$ )?\\S.*)$");
  private static final Pattern LINE =
      Pattern.compile("(?m)^(?:\\$ )?(?:[A-Z_]+=\\S+ )?(?:id=\\$\\()?(?:\\./)?holdfast (.*)$");
  private static final Pattern WORD = Pattern.compile("'([^']*)'|\"([^\"]*)\"|(\\S+)");
  private static final Pattern DESIGN = Pattern.compile("(?ms)^(kind: (\\S+)\\n.*?)^(?:```|END)");

  private final TestDatabase database;
  private final TicketDatabase sql;
  private final Cli cli;
  @TempDir private Path directory;
  private String page = "";

  TypedPagesIT(TestDatabase database) {
    this.database = database;
    this.sql = new TicketDatabase(database);
    this.cli = Cli.on(database);
  }

  @BeforeEach
  void prepare() throws IOException {
    Files.writeString(directory.resolve("tickets.jsonl"), "{\"kind\": \"a\"}\n{\"kind\": \"b\"}\n");
    for (String design : List.of("nightly", "fixer", "mender", "report")) {
      Path file = Files.writeString(directory.resolve("any"), "{kind: command, command: [a]}");
      assertThat(cli.run("design", "put", design, "--file", file.toString()).code()).isZero();
    }
  }

  @Test
  @DisplayName("22.14: each command that a page shows is typed, and does what it is for")
  void pages() throws IOException {
    ForgeTables.create(database.dataSource(), "public", "");
    sql.run("SELECT setval('holdfast.ticket_base_id_seq', 1000)");
    sql.run("INSERT INTO holdfast.tickets (kind, queue) VALUES ('mail', 'mail')");
    cli.run("budgets", "raise", "design:fixer", "--to", "5", "--per", "total");
    List<String> wrong = new ArrayList<>();
    int typed = 0;
    for (Path each : files()) {
      page = Files.readString(each);
      for (String line : shown()) {
        for (String command : line.split("; holdfast ")) {
          if (NEEDS_MORE.keySet().stream().noneMatch(one -> one.matcher(command).matches())) {
            typed++;
            type(command).ifPresent(why -> wrong.add(each + ": " + command + ": " + why));
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(typed).isGreaterThan(60);
  }

  @Test
  @DisplayName("22.14: the tests that tell pages, or type what needs a worker, are there")
  void elsewhere() {
    for (String told : TOLD_ELSEWHERE) {
      assertThat(source(told.replaceFirst(".*: ", ""))).content().contains(told.split(":")[0]);
    }
    NEEDS_MORE.forEach(
        (command, test) ->
            assertThat(source(test))
                .content()
                .contains("\"" + command.pattern().replaceFirst("[ (].*", "")));
  }

  private static Path source(String test) {
    return Path.of("src/test/java/dev/holdfast", test + ".java");
  }

  private static List<Path> files() throws IOException {
    try (Stream<Path> docs = Files.list(Path.of("docs"))) {
      return Stream.concat(Stream.of(Path.of("README.md")), docs.sorted())
          .filter(file -> file.toString().endsWith(".md"))
          .filter(
              file ->
                  TOLD_ELSEWHERE.stream()
                      .noneMatch(told -> told.startsWith(file.getFileName() + ": ")))
          .toList();
    }
  }

  /** Without what is behind them: a remark, a file that takes the output. */
  private List<String> shown() {
    String code =
        Stream.concat(
                BLOCK.matcher(page).results().map(each -> each.group(1)),
                INDENTED.matcher(page).results().map(each -> each.group(1)))
            .reduce("", (before, each) -> before + each + "\n");
    return LINE.matcher(code)
        .results()
        .map((MatchResult each) -> each.group(1))
        .filter(line -> !line.contains("TEXT sends a group"))
        .map(line -> line.replaceFirst("(\\s+#| > | {3,}).*$", "").strip())
        .toList();
  }

  private Optional<String> type(String command) throws IOException {
    String input = command.contains(" < ") ? "HTTP 503 Service Unavailable" : "";
    List<String> words = words(command.replaceFirst(" < .*", "").replaceFirst("\\)$", ""));
    int within = words.indexOf("$(holdfast");
    if (within > 0) {
      stand(17, "on_hold");
      Cli.Result ids = cli.run(words.subList(within + 1, words.size()).toArray(String[]::new));
      words = new ArrayList<>(words.subList(0, within));
      words.addAll(ids.lines());
    }
    int pipe = words.indexOf("|");
    if (pipe > 0) {
      stand(17, "on_hold");
      Cli.Result ids = cli.run(words.subList(0, pipe).toArray(String[]::new));
      words = new ArrayList<>(words.subList(words.indexOf("holdfast") + 1, words.size()));
      words.addAll(ids.lines());
    }
    prepare(words);
    Cli.Result result = cli.runWithInput(input, words.toArray(String[]::new));
    return result.code() == 0
        ? Optional.empty()
        : Optional.of(result.code() + " " + result.err() + result.out());
  }

  private List<String> words(String command) throws IOException {
    List<String> words = new ArrayList<>();
    Matcher matcher = WORD.matcher(command);
    while (matcher.find()) {
      String word =
          Stream.of(1, 2, 3)
              .map(matcher::group)
              .filter(each -> each != null)
              .findFirst()
              .orElseThrow();
      boolean file = !words.isEmpty() && words.getLast().equals("--file");
      words.add(file ? file(word).toString() : word.equals("$id") ? "17" : word);
    }
    return words;
  }

  /** The page's own design: what it writes into the file of that name, else its first. */
  private Path file(String name) throws IOException {
    Path file = directory.resolve(name);
    if (name.endsWith(".yaml")) {
      Files.createDirectories(file.getParent());
      Matcher written =
          Pattern.compile("(?ms)cat > " + Pattern.quote(name) + " <<'?END'?\\n(.*?)^END")
              .matcher(page);
      Matcher design = written.find() ? written.reset() : DESIGN.matcher(page);
      Files.writeString(file, design.find() ? design.group(1) : "{kind: command, command: [a]}");
    }
    return file;
  }

  /** Tickets with the ids and the error that it names, in the state that it is for. */
  private void prepare(List<String> words) {
    String state = STATES.getOrDefault(words.getFirst(), "ready");
    for (String word : words.subList(1, words.size())) {
      if (word.matches("\\d{1,2}") && !words.contains("batch")) {
        stand(Long.parseLong(word), state);
      }
    }
    if (words.contains("batch")) {
      sql.run(
          "INSERT INTO holdfast.batches (id, created_by) OVERRIDING SYSTEM VALUE VALUES (7, 'ann')"
              + " ON CONFLICT DO NOTHING");
    }
    if (words.contains("mend")) {
      int key = words.indexOf("--key-id") + 1;
      sql.run(
          "INSERT INTO holdfast.provider_cooldowns (provider, key_id, until, reason, reported_by)"
              + " VALUES (?, ?, 'infinity', 'auth', 'a worker')",
          words.get(2),
          key == 0 ? "" : words.get(key));
    }
    int fingerprint = words.indexOf("--fingerprint") + 1;
    if (fingerprint > 0) {
      stand(40, "on_hold", words.get(fingerprint));
    }
  }

  private void stand(long id, String state) {
    stand(id, state, "f");
  }

  private void stand(long id, String state, String fingerprint) {
    sql.run("UPDATE holdfast.tickets SET state = 'cancelled' WHERE id = ? AND state <> 'done'", id);
    sql.run("DELETE FROM holdfast.tickets WHERE id = ?", id);
    sql.run(
        "INSERT INTO holdfast.tickets (id, kind, design_id, state, error, error_category,"
            + " error_fingerprint, hold_reason) SELECT ?, 'command', min(d.id), ?, 'boom',"
            + " 'api_error', rpad(?, 32, '0'), 'boom' FROM holdfast.designs d WHERE d.name ="
            + " 'nightly'",
        id,
        state,
        fingerprint);
  }
}
