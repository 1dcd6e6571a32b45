package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.postgres.session.PostgresJournalStore;
import dev.holdfast.postgres.session.PostgresRetryAborts;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.journal.JournalJson;
import dev.holdfast.session.report.FinalReport;
import dev.holdfast.session.report.ReportSource;
import dev.holdfast.testing.EverySetup;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.tool.ToolReply;
import java.math.BigDecimal;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.StringNode;

/** What people see of agents' sessions, and how they end a retry. */
@WithDatabase
@Timeout(120)
@EverySetup
class SessionCommandsIT {
  private static final Target TARGET = new Target("openai", "gpt");
  private static final ToolCall CALL = new ToolCall("c-1", "read_file", "{\"path\":\"a.txt\"}");
  private static final List<JournalEntry> STORY =
      List.of(
          new JournalEntry.Said(Input.task("mend \u001b[31mit")),
          new JournalEntry.Discarded(
              1, 1, TARGET, "empty", new Usage(50, 0, 0, 0), new BigDecimal("0.001"), null, false),
          new JournalEntry.Answered(
              1,
              2,
              TARGET,
              List.of(),
              new Message.Assistant("I read it.", List.of(CALL)),
              StopReason.TOOL_CALLS,
              new Usage(100, 20, 3, 10),
              new BigDecimal("0.0123"),
              true,
              null),
          new JournalEntry.ToolFinished(
              1,
              new ToolReply(
                  CALL, ToolReply.Outcome.OK, "one\ntwo\nthree\nfour\nfive\nsix\nseven\n\0", 1)),
          new JournalEntry.Ended(
              2,
              "reported",
              new FinalReport(FinalReport.Status.SUCCESS, "done", null),
              ReportSource.TOOL_CALL,
              null));

  private final TestDatabase database;
  private final TicketDatabase rows;
  private final TestQueue queue;
  private final Cli cli;

  SessionCommandsIT(TestDatabase database) {
    this.database = database;
    this.rows = new TicketDatabase(database);
    this.queue = TestQueue.on(rows);
    this.cli = Cli.on(database);
  }

  private long withSession() {
    return with(STORY);
  }

  private long with(List<JournalEntry> story) {
    long id = queue.enqueue();
    new PostgresJournalStore(database.dataSource(), "holdfast", Sleeper.REAL, Secrets.NONE)
        .open(id, queue.claim())
        .append(story);
    return id;
  }

  @Test
  @DisplayName("show has the transcript: turns, calls, results cut to a few lines, tokens and cost")
  void transcript() {
    Cli.Result shown = cli.run("show", "" + withSession());

    assertThat(shown.code()).isZero();
    assertThat(shown.out().substring(shown.out().indexOf("transcript")).lines())
        .containsExactly(
            "transcript: 2 answers, 173 tokens in, 10 out, $0.0133",
            "    said: mend ?[31mit",
            "  turn 1, openai/gpt, 50 tokens in, 0 out, $0.001, discarded: empty",
            "  turn 1, openai/gpt, 123 tokens in, 10 out, $0.0123",
            "    answer: I read it.",
            "    call read_file: {\"path\":\"a.txt\"}",
            "    read_file ok: one",
            "      two",
            "      three",
            "      four",
            "      five",
            "      six",
            "      … 2 more lines",
            "    ended: reported: {\"status\":\"success\",\"content\":\"done\"}");
  }

  @Test
  @DisplayName("show has what models answered in a repair")
  void answersOfRepair() {
    JournalEntry answer =
        new JournalEntry.StepFinished(
            "run-1/iteration-1/answer",
            StringNode.valueOf("a.txt:\nthe whole file"),
            List.of(),
            TARGET,
            new Usage(50, 0, 0, 7),
            new BigDecimal("0.001"),
            5);

    assertThat(cli.run("show", "" + with(List.of(answer))).lines())
        .endsWith(
            "  step run-1/iteration-1/answer, 50 tokens in, 7 out, $0.001",
            "    text: a.txt:",
            "      the whole file");
  }

  @Test
  @DisplayName("show --json has the transcript whole; --transcript is one JSON object per line")
  void exported() {
    long id = withSession();

    JsonNode json = cli.run("show", "" + id, "--json").json().get("transcript");
    Cli.Result lines = cli.run("show", "" + id, "--transcript");

    assertThat(json).hasSize(STORY.size());
    assertThat(lines.lines()).hasSize(STORY.size());
    for (int i = 0; i < STORY.size(); i++) {
      JsonNode line = new JsonMapper().readTree(lines.lines().get(i));
      assertThat(line).isEqualTo(json.get(i));
      assertThat(line.get("seq").intValue()).isEqualTo(i + 1);
      assertThat(JournalJson.read(line.get("entry").toString())).isEqualTo(STORY.get(i));
    }
    assertThat(cli.run("show", "987654321", "--transcript").code()).isEqualTo(ExitCode.REFUSED);
  }

  @Test
  @DisplayName(
      "show of a ticket without a session says nothing of one; garbage is named, not fatal")
  void noneAndGarbage() {
    long none = queue.enqueue();
    assertThat(cli.run("show", "" + none).out()).doesNotContain("transcript");
    assertThat(cli.run("show", "" + none, "--transcript").out()).isEmpty();

    rows.run(
        "INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry) VALUES (?, 1,"
            + " 1, 'odd', '[]')",
        none);
    assertThat(cli.run("show", "" + none).out()).contains("[row 1, odd, cannot be read]");
  }

  @Test
  @DisplayName("release --fresh: the next session begins with nothing, the transcript says so")
  void fresh() {
    long id = withSession();
    cli.run("hold", "" + id, "--reason", "look");

    assertThat(cli.run("release", "" + id, "--fresh").code()).isZero();

    assertThat(
            new PostgresJournalStore(database.dataSource(), "holdfast", Sleeper.REAL, Secrets.NONE)
                .open(id, queue.claim())
                .entries())
        .isEmpty();
    assertThat(cli.run("show", "" + id).out()).contains("--- started over ---");
  }

  @Test
  @DisplayName("abort-retry ends with 0 when the worker has taken the order")
  void abortRetry() throws Exception {
    long id = queue.enqueue();
    queue.claim();
    CompletableFuture<Cli.Result> result =
        CompletableFuture.supplyAsync(
            () -> cli.run("abort-retry", "#" + id, "--wait", "15s", "--by", "ann"));
    PostgresRetryAborts aborts = new PostgresRetryAborts(database.dataSource(), "holdfast");
    Awaitility.await().until(() -> aborts.take(List.of(id)).contains(id));

    assertThat(result.get(60, TimeUnit.SECONDS))
        .isEqualTo(new Cli.Result(0, "ended the retry of #%s\n".formatted(id), ""));
  }

  @Test
  @DisplayName(
      "D33, D34: auto-retry is written to the ticket, and show says who did; garbage is not")
  void autoRetry() {
    String id = "" + queue.enqueue();
    assertThat(cli.run("auto-retry", id, "off", "--by", "ann").out())
        .isEqualTo("switched the auto-retry of #" + id + " off\n");
    assertThat(cli.run("show", id).out()).containsPattern("auto-retry +off, by ann");
    assertThat(cli.run("auto-retry", id, "on", "--json").json().get("auto_retry").booleanValue())
        .isTrue();
    assertThat(cli.run("show", id, "--json").json().get("auto_retry").booleanValue()).isTrue();
    for (String garbage : List.of("", "maybe", "ON", "true")) {
      Cli.Result result = cli.run("auto-retry", id, garbage);
      assertThat(result.code()).isEqualTo(2);
      assertThat(result.err()).contains("neither on nor off");
    }
    assertThat(cli.run("auto-retry", id).code()).isEqualTo(2);
    assertThat(cli.run("auto-retry", "987654321", "off").code()).isEqualTo(ExitCode.REFUSED);
    cli.run("cancel", id, "--reason", "no");
    assertThat(cli.run("auto-retry", id, "off").err()).contains("cannot switch the auto-retry of");
  }

  @Test
  @DisplayName("abort-retry says so where nothing waits, and where the ticket does not run")
  void nothingWaits() {
    long id = queue.enqueue();
    Cli.Result ready = cli.run("abort-retry", "" + id);
    queue.claim();
    Cli.Result running = cli.run("abort-retry", "" + id, "--wait", "200ms", "--json");

    assertThat(ready.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(ready.err()).contains("cannot end a retry of ticket " + id + ": it is ready");
    assertThat(running.code()).isEqualTo(ExitCode.REFUSED);
    assertThat(running.err()).contains("no retry of it waits now");
    assertThat(running.json().get("retry_aborted").booleanValue()).isFalse();
    PostgresRetryAborts aborts = new PostgresRetryAborts(database.dataSource(), "holdfast");
    assertThat(aborts.take(List.of(id))).as("a retry that begins later").isEmpty();
    assertThat(cli.run("abort-retry", "" + id, "--wait", "16s").code()).isEqualTo(2);
    assertThat(cli.run("abort-retry", "x").code()).isEqualTo(2);
    assertThat(cli.run("abort-retry").code()).isEqualTo(2);
    assertThat(cli.run("abort-retry", "987654321").code()).isEqualTo(ExitCode.REFUSED);
  }
}
