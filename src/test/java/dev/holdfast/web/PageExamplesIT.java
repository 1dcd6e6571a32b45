package dev.holdfast.web;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.cli.Cli;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestHoldfast;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import dev.holdfast.worker.HandlerResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import jdk.jshell.JShell;
import jdk.jshell.Snippet;
import jdk.jshell.SnippetEvent;
import jdk.jshell.SourceCodeAnalysis.CompletionInfo;
import jdk.jshell.execution.LocalExecutionControlProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * What four pages show of Java and HTTP is evaluated and sent, block by block, as it stands there.
 * Their commands and SQL are typed by {@code PageCommandsIT} and {@code LimitCommandIT}.
 */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public class PageExamplesIT {
  private static final Pattern BLOCK = Pattern.compile("(?ms)^```(java|http)\\n(.*?)^```");
  private static final Pattern REQUEST = Pattern.compile("([A-Z]+) (/\\S+)(?: (.+))?");

  /** Code within a sentence, which no test would see. */
  private static final Pattern WITHIN =
      Pattern.compile("`((?:POST|PUT|DELETE) /[^`]+|(?:NewTicket\\.of|inbox\\.)[^`]+)`");

  private static final String IMPORTS =
      """
      import dev.holdfast.*; import dev.holdfast.batch.*; import dev.holdfast.limit.*;
      import dev.holdfast.postgres.batch.*; import dev.holdfast.postgres.inbox.*;
      import dev.holdfast.postgres.schedule.*; import dev.holdfast.queue.*;
      import dev.holdfast.schedule.*; import dev.holdfast.worker.*;
      import java.time.Duration; import java.util.*; import javax.sql.DataSource;
      DataSource dataSource = dev.holdfast.web.PageExamplesIT.lent();
      PostgresTicketInbox inbox = Holdfast.inbox(dataSource);
      """;

  private static volatile @Nullable DataSource lent;

  private TicketDatabase database;
  private Cli cli;
  @TempDir private Path directory;
  @AutoClose private HikariDataSource pool;
  @AutoClose private WebServer server;
  @AutoClose private ApiClient ann;
  @AutoClose private TestHoldfast holdfast;

  /** One for all, for each starts a compiler. */
  @AutoClose private JShell shell;

  @BeforeAll
  void prepare(TestDatabase testDatabase) {
    database = new TicketDatabase(testDatabase);
    cli = Cli.on(testDatabase);
    pool = database.pool(6);
    server = WebFixture.server(pool);
    ann = new ApiClient(server.port(), WebFixture.ANN);
    holdfast =
        TestHoldfast.on(pool)
            .handler("job", context -> HandlerResult.done("{\"items\": [1, 2], \"sum\": 1}"))
            .workflows();
    lent = pool;
    shell = shell();
  }

  private static JShell shell() {
    JShell shell =
        JShell.builder()
            .executionEngine(new LocalExecutionControlProvider(), Map.of())
            .compilerOptions("-proc:none")
            .build();
    shell.addToClasspath(System.getProperty("java.class.path"));
    IMPORTS.lines().forEach(line -> evaluateAll(shell, line));
    return shell;
  }

  /** What the snippets call. */
  public static DataSource lent() {
    return requireNonNull(lent);
  }

  @ParameterizedTest
  @CsvSource({"limits, 6, 6", "schedules, 8, 7", "workflows, 8, 7", "batches, 12, 10"})
  @DisplayName("each Java statement and each request of a page does what it is for")
  void page(String name, int statements, int requests) throws IOException {
    String page = Files.readString(Path.of("docs", name + ".md"));
    designs(page);
    int evaluated = 0;
    int sent = 0;
    for (MatchResult block : BLOCK.matcher(page).results().toList()) {
      prepare(block.group(2));
      if (block.group(1).equals("java")) {
        evaluated += evaluate(block.group(2), name);
      } else {
        sent += send(block.group(2), name);
      }
    }
    assertThat(List.of(evaluated, sent)).containsExactly(statements, requests);
    seen(name);
  }

  @Test
  @DisplayName("no page shows Java, or a change by HTTP, in a sentence only")
  void within() throws IOException {
    for (String name : List.of("limits", "schedules", "workflows", "batches")) {
      String page = Files.readString(Path.of("docs", name + ".md"));
      String blocks =
          BLOCK.matcher(page).results().map(each -> each.group(2)).reduce("", String::concat);
      assertThat(
              WITHIN
                  .matcher(page)
                  .results()
                  .map(each -> each.group(1))
                  .filter(each -> !blocks.contains(each + " ")))
          .as(name)
          .isEmpty();
    }
  }

  private void designs(String page) throws IOException {
    for (String design :
        List.of("sync", "report", "fetch", "summarise", "publish", "price", "extra")) {
      database.run(
          "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'job',"
              + " '{}') ON CONFLICT DO NOTHING",
          design);
    }
    database.run("INSERT INTO holdfast.queues (name) VALUES ('mail') ON CONFLICT DO NOTHING");
    int steps = page.indexOf("kind: workflow\n");
    if (steps >= 0) {
      Path file = directory.resolve("news.yaml");
      Files.writeString(file, page.substring(steps, page.indexOf("```", steps)));
      assertThat(cli.run("design", "put", "news", "--file", file.toString()).err()).isEmpty();
    }
  }

  /** The ids that the block names, and what is on hold before its release. */
  private void prepare(String block) {
    holdfast.clear();
    next("ticket_base", 17);
    if (block.contains("17")) {
      database.run("SELECT holdfast.enqueue_ticket(design => 'fetch') FROM generate_series(1, 2)");
    }
    next("ticket_base", 30);
    next("batches", 7);
    next("releases", 4);
    if (block.contains("3f2a9c1b")) {
      database.run(
          "INSERT INTO holdfast.tickets (kind, state, error, error_category, error_fingerprint)"
              + " SELECT 'job', 'on_hold', 'no prices.csv', 'system_error', '3f2a9c1b00000000'"
              + " FROM generate_series(1, 20)");
    }
  }

  private void next(String table, long id) {
    database.number("SELECT setval('holdfast." + table + "_id_seq', ?, false)", id);
  }

  /** What a block declares ends with it. */
  private int evaluate(String code, String page) {
    List<Snippet> prepared = shell.snippets().toList();
    int statements = 0;
    String left = code;
    while (!left.isBlank()) {
      CompletionInfo first = shell.sourceCodeAnalysis().analyzeCompletion(left);
      assertThat(first.completeness().isComplete()).as(left).isTrue();
      evaluateOne(shell, first.source());
      statements++;
      left = first.remaining();
      work(page);
    }
    shell
        .snippets()
        .filter(each -> shell.status(each).isActive() && !prepared.contains(each))
        .toList()
        .forEach(shell::drop);
    return statements;
  }

  private static void evaluateAll(JShell shell, String line) {
    String left = line;
    while (!left.isBlank()) {
      CompletionInfo first = shell.sourceCodeAnalysis().analyzeCompletion(left);
      evaluateOne(shell, first.source());
      left = first.remaining();
    }
  }

  private static void evaluateOne(JShell shell, String statement) {
    for (SnippetEvent event : shell.eval(statement)) {
      assertThat(event.status())
          .as(
              "%s: %s",
              statement,
              shell.diagnostics(event.snippet()).map(each -> each.getMessage(Locale.ROOT)).toList())
          .isEqualTo(Snippet.Status.VALID);
      assertThat(event.exception()).as(statement).isNull();
    }
  }

  private int send(String requests, String page) {
    List<MatchResult> all = REQUEST.matcher(requests).results().toList();
    for (MatchResult request : all) {
      Answer answer =
          request.group(3) == null
              ? ann.send(request.group(1), request.group(2), null)
              : ann.send(
                  request.group(1),
                  request.group(2),
                  request.group(3),
                  "Content-Type",
                  "application/json");
      assertThat(answer.status()).as("%s: %s", request.group(), answer).isBetween(200, 299);
      work(page);
    }
    return all.size();
  }

  /** Steps of workflows are added, and ask, when they are worked. */
  private void work(String page) {
    if (page.equals("workflows")) {
      holdfast.drain();
    }
  }

  /** What the last block of the page has left. */
  private void seen(String page) {
    switch (page) {
      case "limits" -> {
        assertThat(database.value("SELECT weight FROM holdfast.fairness_weights")).isEqualTo("3");
        assertThat(
                database.column(
                    "SELECT concurrency_key FROM holdfast.tickets WHERE fairness_key = 'acme'"))
            .containsExactly("customer-42");
      }
      case "schedules" ->
          assertThat(database.column("SELECT title FROM holdfast.tickets"))
              .containsExactly("weekly");
      case "batches" ->
          assertThat(
                  database.column(
                      "SELECT state || ' ' || released FROM holdfast.release_status(4)"))
              .containsExactly("stopped 3");
      default -> {}
    }
  }
}
