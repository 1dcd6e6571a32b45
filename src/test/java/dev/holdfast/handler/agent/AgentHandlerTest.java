package dev.holdfast.handler.agent;

import static dev.holdfast.handler.agent.AgentTickets.TARGET;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.failure.ErrorTitle;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.process.OwnSession;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.process.UnprivilegedJava;
import dev.holdfast.schema.Enqueues;
import dev.holdfast.session.event.SessionEvent;
import dev.holdfast.session.journal.AttemptHistory;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Input;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.session.journal.JournalEntry;
import dev.holdfast.session.report.ReportRules;
import dev.holdfast.session.report.SessionResult;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.testing.JavaCommand;
import dev.holdfast.ticket.Guidance;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.UnreadableJournalException;
import dev.holdfast.tool.ToolReply;
import dev.holdfast.tool.mcp.FakeMcp;
import dev.holdfast.tool.sandbox.SandboxMode;
import dev.holdfast.tool.sandbox.SandboxState;
import dev.holdfast.tool.sandbox.Sandboxes;
import dev.holdfast.worker.HandlerResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

/** A session with real tools in a real directory; only the model is a script. */
@Timeout(120)
class AgentHandlerTest {
  private static final String REPORT =
      "  - tool_calls: [{name: agent__final_report, arguments: {status: success, content: \"it"
          + " works\"}}]\n";
  private static final String GIVE_UP =
      "  - tool_calls: [{name: agent__final_report, arguments: {status: failure, content: \"the"
          + " spec says 429 and nothing else\"}}]\n";

  @TempDir private Path directory;
  private AgentTickets tickets;

  @BeforeEach
  void prepare() {
    tickets = new AgentTickets(directory.resolve("agents"));
  }

  private static ErrorReport error(HandlerResult result) {
    return ((HandlerResult.Failed) result).error();
  }

  private Path workspace() {
    return directory.resolve("agents/ticket-17-1795248000");
  }

  @Test
  @DisplayName(
      "issue 4.3: a copy of the design's directory is worked on with real tools, the report is the"
          + " result, and the workspace stays for the reviewer")
  void works() throws Exception {
    Path sample = directory.resolve("sample");
    Files.createDirectories(sample.resolve("bin"));
    Files.writeString(sample.resolve("bin/add.sh"), "echo $(($1 - $2))\n");
    String script =
        """
        steps:
          - tool_calls: [{name: read_file, arguments: {path: bin/add.sh}}]
          - tool_calls: [{name: edit_file, arguments: {path: bin/add.sh, search: "$1 - $2", replace: "$1 + $2"}}]
          - tool_calls: [{name: run_command, arguments: {command: "sh bin/add.sh 2 3 > sum"}}]
        """;

    HandlerResult result =
        tickets.run(
            TARGET
                + "tools: [read_file, edit_file, run_command]\nworkspace: {copy_from: \""
                + sample
                + "\"}\n",
            script + REPORT);

    assertThat(result)
        .isEqualTo(
            new HandlerResult.Succeeded(
                "{\"status\":\"success\",\"content\":\"it works\"}", Review.HUMAN));
    assertThat(workspace().resolve("sum")).hasContent("5");
    assertThat(sample.resolve("bin/add.sh"))
        .as("the sample itself")
        .hasContent("echo $(($1 - $2))");
    assertThat(tickets.events).hasAtLeastOneElementOfType(SessionEvent.ToolFinished.class);
  }

  @Test
  @DisplayName(
      "issue 23: the report adds tickets where the design allows it; one that adds others is"
          + " refused, and the model told why")
  void reportAdds() throws Exception {
    String adding =
        "  - tool_calls: [{name: agent__final_report, arguments: {status: success, content: \"it"
            + " works\", enqueue: [{design: %s, payload: {n: 1}}]}}]\n";

    HandlerResult result =
        tickets.run(TARGET + "may_enqueue: [extra]\n", "steps:\n" + adding.formatted("extra"));

    assertThat(result)
        .isEqualTo(
            new HandlerResult.Succeeded(
                "{\"status\":\"success\",\"content\":\"it works\"}",
                Review.HUMAN,
                "[{\"design\":\"extra\",\"payloads\":[{\"n\":1}]}]"));
    assertThat(
            new ReportRules(null, new Enqueues(List.of("extra")))
                .check(
                    JsonMapper.shared()
                        .readTree(
                            "{\"status\": \"success\", \"content\": \"x\", \"enqueue\":"
                                + " [{\"design\": \"other\"}]}"))
                .problem())
        .isEqualTo(
            "its design does not allow it to enqueue \"other\": add it to may_enqueue, which is"
                + " [extra]");
    assertThat(new ReportRules(null, Enqueues.NONE).spec().toString()).doesNotContain("enqueue");
  }

  @Test
  @DisplayName(
      "B9: data that the design's schema checks without an end are refused, with the reason")
  void endlessCheck() {
    JsonMapper json = JsonMapper.shared();
    ReportRules rules =
        new ReportRules(json.readTree("{\"pattern\": \"^(a|aa)+(x?)\\\\2$\"}"), Enqueues.NONE);
    String report = "{\"status\": \"success\", \"data\": \"" + "a".repeat(60) + "!\"}";
    assertThat(rules.check(json.readTree(report)).problem()).startsWith("data cannot be checked: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"mcp__s__dr_op", "mcp__s__dr_op_c9225974"})
  @DisplayName("5.4: tools of servers whose names become the same both need to be allowed")
  void approvalOfAlike(String called) throws Exception {
    String design =
        TARGET
            + "mcp: {s: {command: [%s, -cp, %s, %s, alike]}}\napproval: [mcp__s__dr_op]\n"
                .formatted(
                    JavaCommand.path("java"),
                    Path.of("target/test-classes").toAbsolutePath(),
                    FakeMcp.class.getName());
    String script = "steps:\n  - tool_calls: [{name: %s, arguments: {text: x}}]\n";

    HandlerResult result = tickets.run(design, script.formatted(called) + REPORT);

    assertThat(result).isInstanceOf(HandlerResult.Parked.class);
    assertThat(((HandlerResult.Parked) result).details()).contains(called);
  }

  @Test
  @DisplayName("an MCP server that does not start is named, with what it said and the next step")
  void serverDoesNotStart() throws Exception {
    String circle =
        "[%s, -cp, %s, %s, circle]"
            .formatted(
                JavaCommand.path("java"),
                Path.of("target/test-classes").toAbsolutePath(),
                FakeMcp.class.getName());

    assertThat(withoutServer("{command: [sh, -c, \"echo 'fatal: cannot open db' >&2; exit 3\"]}"))
        .matches("MCP server s cannot be started: .*; it said: fatal: cannot open db\n.*")
        .doesNotContain("Client failed")
        .endsWith("whether the program starts by itself. Run: command -v sh");
    assertThat(withoutServer("{command: " + circle + "}"))
        .isEqualTo(
            "MCP server s did not list its tools: its pages go in a circle\n"
                + "Mend the server, or take it out of the design.");
    assertThat(withoutServer("{url: 'http://127.0.0.1:1/mcp'}"))
        .isEqualTo(
            "MCP server s cannot be started: java.net.ConnectException\n"
                + "See whether the server runs and the worker's machine reaches it."
                + " Run: curl -sS -o /dev/null http://127.0.0.1:1");
  }

  @Test
  @DisplayName("C7: an MCP server has no longer to start than its attempt has left")
  void serverStartsWithinAttempt() throws Exception {
    String server = "timeout: 1s\nmcp: {s: {command: [sleep, \"1000\"], sandbox: off}}\n";
    ErrorReport error = error(tickets.run(TARGET + server, "steps:\n" + REPORT));
    assertThat(error.text()).contains("no answer within 1 s");
  }

  private String withoutServer(String server) throws InterruptedException {
    ErrorReport error =
        error(tickets.run(TARGET + "mcp: {s: " + server + "}\n", "steps:\n" + REPORT));
    assertThat(error.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    assertThat(ErrorTitle.of(error.text())).startsWith("MCP server s ");
    return error.text();
  }

  @Test
  @DisplayName("review: none ends the ticket, and its workspace goes with it")
  void workspaceGoes() throws Exception {
    assertThat(tickets.run(TARGET + "review: none\n", "steps:\n" + REPORT))
        .isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(workspace()).doesNotExist();
  }

  @Test
  @DisplayName("the workspace stays between attempts, and is not made anew")
  void workspaceStays() throws Exception {
    tickets.run(TARGET, "steps:\n" + GIVE_UP);
    Files.writeString(workspace().resolve("notes"), "mine");
    tickets.run(TARGET, "steps:\n" + REPORT);
    assertThat(workspace().resolve("notes")).hasContent("mine");
  }

  @Test
  @DisplayName("what a killed worker has left running ends before an agent's next attempt")
  void endsLeftPrograms() throws Exception {
    OwnSession ofKilled =
        OwnSession.of(
            List.of("sleep", "1000"),
            directory,
            Map.of("PATH", "/usr/bin:/bin", ProgramRun.RUN_ID, "1:1:of-a-killed-worker"));
    Process left = ofKilled.start();
    try {
      tickets.attempt = 2;
      tickets.run(TARGET, "steps:\n" + REPORT);
      assertThat(left.waitFor(Duration.ofSeconds(5))).isTrue();
    } finally {
      left.destroyForcibly();
    }
  }

  @Test
  @DisplayName("composition 9: a report of failure is a code_error, whatever numbers are in it")
  void reportedFailure() throws Exception {
    ErrorReport error = error(tickets.run(TARGET, "steps:\n" + GIVE_UP));
    assertThat(error.statedCategory()).isEqualTo(Category.CODE_ERROR);
    assertThat(error.text())
        .isEqualTo("the agent reports failure: the spec says 429 and nothing else");
  }

  @Test
  @DisplayName("composition 9: a rate limit that outlasts the turn is transient, with its wait")
  void rateLimited() throws Exception {
    ErrorReport error =
        error(
            tickets.run(
                TARGET + "limits: {max_retries: 1}\n",
                "steps:\n  - failure: {status: 429, message: slow down, retry_after: 7s}\n"));
    assertThat(error.statedCategory()).isEqualTo(Category.TRANSIENT);
    assertThat(error.retryAfter()).isEqualTo(Duration.ofSeconds(7));
    assertThat(error.httpStatus()).isEqualTo(429);
  }

  @Test
  @DisplayName(
      "the task is the payload's prompt, or all of it; guidance is said once, with its author")
  void task() throws Exception {
    tickets.guidance =
        List.of(new Guidance("Use tabs.", "ann", "reject", Instant.parse("2026-11-21T09:00:00Z")));
    tickets.run(TARGET, "steps:\n" + GIVE_UP);
    tickets.run(TARGET, "steps:\n" + GIVE_UP.repeat(2));
    List<String> said =
        tickets.journal.entries().stream()
            .filter(JournalEntry.Said.class::isInstance)
            .map(entry -> ((JournalEntry.Said) entry).input())
            .filter(input -> !input.key().startsWith("again"))
            .map(Input::text)
            .toList();
    assertThat(said)
        .containsExactly(
            "Make it work.",
            "A person (ann) has looked at the report, did not accept it, and says:\nUse tabs.");

    tickets.payload = "{\"n\": 1}";
    assertThat(AgentTask.inputs(tickets.context(TARGET).claimed(), List.of()).getFirst().text())
        .isEqualTo("{\"n\": 1}");
  }

  @Test
  @DisplayName("5.6: a later attempt is told once, in a few lines, what failed before and why")
  void lessons() throws Exception {
    tickets.attempt = 3;
    tickets.attempts =
        ticketId ->
            List.of(
                new AttemptHistory.Failed(1, 90, "transient", "rate limit\nexceeded", ""),
                new AttemptHistory.Failed(
                    2, 95, "code_error", "x".repeat(1000), "run_command 3 times (2 failed)"));

    tickets.run(TARGET, "steps:\n" + REPORT);
    tickets.run(TARGET, "steps:\n" + REPORT.repeat(2));

    List<String> said =
        tickets.journal.entries().stream()
            .filter(JournalEntry.Said.class::isInstance)
            .map(each -> ((JournalEntry.Said) each).input().text())
            .toList();
    assertThat(said).hasSize(2);
    assertThat(said.getLast())
        .startsWith("This is attempt 3 at the task.")
        .contains("\n- attempt 1, transient: \"rate limit exceeded\"\n")
        .contains("x…\"; it called run_command 3 times (2 failed)");
    assertThat(said.getLast().lines()).hasSize(4);
  }

  @Test
  @DisplayName("5.1: a journal that cannot be read holds the ticket, naming the row and --fresh")
  void unreadableJournal() throws Exception {
    tickets.journal =
        new Journal() {
          @Override
          public void each(Consumer<JournalEntry> reader) {
            throw new UnreadableJournalException("row 3 (answered) is no entry", null);
          }

          @Override
          public void append(List<JournalEntry> entries) {
            throw new AssertionError("nothing may be written");
          }
        };

    HandlerResult.Held held = (HandlerResult.Held) tickets.run(TARGET, "steps:\n" + REPORT);

    assertThat(held.reason()).contains("--fresh");
    assertThat(held.error().text()).contains("row 3 (answered)");
  }

  @Test
  @DisplayName("5.4: a call that has to be allowed parks the ticket; its tool has to exist")
  void approval() throws Exception {
    String design = TARGET + "tools: [write_file]\napproval: [write_file]\n";
    String script =
        "steps:\n  - tool_calls: [{name: write_file, arguments: {path: a.txt, content: hello}}]\n";

    HandlerResult.Parked parked = (HandlerResult.Parked) tickets.run(design, script);

    assertThat(parked.reason()).isEqualTo("approval");
    assertThat(parked.actions())
        .containsExactly("approve_call", "approve_call_with_changes", "deny_call", "cancel");
    assertThat(parked.details()).contains("write_file", "+hello");
    assertThat(workspace().resolve("a.txt")).doesNotExist();
  }

  @Test
  @DisplayName("C38: a call that may have taken effect is not run again: the ticket is to be held")
  void unknownEffect() throws Exception {
    ToolCall call = new ToolCall("c1", "run_command", "{\"command\": \"touch again\"}");
    tickets.journal =
        new InMemoryJournal(
            List.of(
                new JournalEntry.Said(Input.task("Make it work.")),
                new JournalEntry.Answered(
                    1,
                    1,
                    new Target("played", "m"),
                    List.of(),
                    new Message.Assistant("", List.of(call)),
                    StopReason.TOOL_CALLS,
                    Usage.NONE,
                    null,
                    true,
                    null),
                new JournalEntry.ToolStarted(1, "c1", "run_command")));

    HandlerResult.Held held =
        (HandlerResult.Held) tickets.run(TARGET + "tools: [run_command]\n", "steps:\n" + REPORT);

    assertThat(held.reason())
        .isEqualTo("Unknown whether run_command took effect: look, then release with guidance");
    assertThat(held.error().text())
        .as("true for each way in which the call may have been cut off")
        .isEqualTo(
            "this tool call was cut off (the worker ended, or a person held or cancelled the"
                + " ticket) and may not run twice: run_command {\"command\": \"touch again\"}");
    assertThat(workspace().resolve("again")).doesNotExist();
    assertThat(tickets.run(TARGET + "tools: [run_command]\n", "steps:\n" + REPORT.repeat(2)))
        .as("released by a person, it goes on")
        .isInstanceOf(HandlerResult.Succeeded.class);
  }

  @Test
  @DisplayName("C38: where the worker did not end, the hold says what the tool said")
  void unknownEffectSaysWhy() throws Exception {
    ToolReply silent =
        new ToolReply(
            new ToolCall("c1", "send", "{}"),
            ToolReply.Outcome.UNKNOWN_EFFECT,
            "Tool 'send' did not answer",
            1);

    HandlerResult.Held held =
        (HandlerResult.Held)
            AgentResult.of(new SessionResult.UnknownEffect(List.of(silent)), Review.HUMAN);

    assertThat(held.error().text()).isEqualTo("Tool 'send' did not answer");
  }

  @Test
  @DisplayName("A52: an interrupt ends the session, and comes out as one")
  void interrupted() throws Exception {
    AgentHandler handler = tickets.handler("steps:\n  - {delay: 1h, text: never}\n");
    CompletableFuture<Throwable> end = new CompletableFuture<>();
    Thread thread =
        Thread.ofVirtual()
            .start(
                () -> {
                  try {
                    handler.handle(tickets.context(TARGET));
                    end.complete(new AssertionError("it returned"));
                  } catch (Throwable e) {
                    end.complete(e);
                  }
                });
    Awaitility.await()
        .until(() -> tickets.events.stream().anyMatch(SessionEvent.TurnStarted.class::isInstance));
    thread.interrupt();
    assertThat(end.get(10, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
  }

  @Test
  @DisplayName(
      "D27: an order to end a retry reaches a session that waits, and only then is asked for")
  void abortedRetry() throws Exception {
    tickets.autoRetry = new AutoRetrySettings(true, 3, Duration.ofMinutes(10), false, false);
    // The wait may be asked for before its event reaches the last listener, never before its turn.
    Set<Boolean> askedAfterTurn = ConcurrentHashMap.newKeySet();
    tickets.aborts =
        waiting -> {
          askedAfterTurn.add(
              tickets.events.stream().anyMatch(SessionEvent.TurnFinished.class::isInstance));
          return Set.copyOf(waiting);
        };
    ErrorReport error =
        error(
            tickets.run(
                TARGET + "limits: {max_retries: 1}\n",
                "steps:\n  - failure: {status: 503, message: overloaded}\n"));
    assertThat(error.statedCategory()).isEqualTo(Category.TRANSIENT);
    assertThat(askedAfterTurn).containsExactly(true);
    assertThat(tickets.events)
        .filteredOn(SessionEvent.AutoRetryStart.class::isInstance)
        .as("waits, of which the first was ended")
        .hasSize(1);
    assertThat(tickets.events).hasAtLeastOneElementOfType(SessionEvent.AutoRetryEnd.class);
  }

  @Test
  @DisplayName("what only a change of the design can mend is a code_error that says what to change")
  void refused() throws Exception {
    ErrorReport report =
        error(tickets.run(TARGET + "approval: [run_command]\n", "steps:\n" + REPORT));
    assertThat(report.statedCategory()).isEqualTo(Category.CODE_ERROR);
    assertThat(report.text())
        .startsWith("design fixer version 3: ")
        .contains("approval names run_command", "not among its tools");
    ErrorReport missing =
        error(tickets.run(TARGET + "workspace: {copy_from: /nonesuch}\n", "steps:\n" + REPORT));
    assertThat(missing.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    assertThat(missing.text()).contains("/nonesuch", "ENOENT");
    assertThat(directory.resolve("agents")).isEmptyDirectory();
  }

  @Test
  @DisplayName("a provider that the worker does not have is held at once, with what to set")
  void providerMissing() throws Exception {
    HandlerResult result =
        tickets.run("targets: [{provider: openai, model: m}]\n", "steps:\n" + REPORT);

    assertThat(result)
        .isInstanceOfSatisfying(
            HandlerResult.Held.class,
            held -> {
              assertThat(held.reason())
                  .startsWith("The worker lacks a provider: ")
                  .contains("providers.openai", "OPENAI_API_KEY")
                  .endsWith("(it has played), then release");
              assertThat(held.error().statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
            });
    assertThat(directory.resolve("agents")).doesNotExist();
  }

  /** A worker whose user may not enter a directory. */
  static final class ShutOut {
    private ShutOut() {}

    public static void main(String[] args) throws Exception {
      AgentTickets tickets = new AgentTickets(Path.of(args[0], "agents"));
      String copied = "workspace: {copy_from: \"" + args[0] + "/closed/inside\"}\n";
      System.out.println(error(tickets.run(TARGET + copied, "steps:\n" + REPORT)).text());
    }
  }

  @Test
  @DisplayName(
      "a directory to copy below one that the worker may not enter is not said to be missing")
  void shutOut() throws Exception {
    Path closed = directory.resolve("closed");
    Files.createDirectories(closed.resolve("inside"));
    Files.setPosixFilePermissions(closed, Set.of());
    assertThat(UnprivilegedJava.run(ShutOut.class, directory.toString()))
        .contains("(EACCES): the worker's user may not enter " + closed)
        .doesNotContain("ENOENT");
    Files.setPosixFilePermissions(closed, PosixFilePermissions.fromString("rwx------"));
  }

  /**
   * Where programs are confined by bubblewrap, which does not start for some.
   *
   * @param words of the program or of what is around it
   */
  private Sandboxes sandboxesWithout(String words) throws Exception {
    Path broken = Files.createDirectory(directory.resolve("bin")).resolve("bwrap");
    Files.writeString(
        broken,
        """
        #!/bin/sh
        case "$*" in *'%s'*) echo "bwrap: Can't create file at /x: Permission denied"; exit 1;; esac
        exec /usr/bin/bwrap "$@"
        """
            .formatted(words));
    Files.setPosixFilePermissions(broken, PosixFilePermissions.fromString("rwxr-xr-x"));
    Map<String, String> environment = Map.of("PATH", broken.getParent() + ":/usr/bin:/bin");
    Sandboxes sandboxes = Sandboxes.of(SandboxMode.AUTO, environment, List.of());
    assumeFalse(sandboxes.state().words().contains("not confined"), "bubblewrap works");
    return sandboxes;
  }

  @Test
  @DisplayName("a sandbox that does not start is system_error, and no model is asked")
  void sandboxDoesNotStart() throws Exception {
    tickets.sandboxes = sandboxesWithout("sandbox has started");
    ErrorReport error = error(tickets.run(TARGET + "tools: [run_command]\n", "steps:\n" + REPORT));
    assertThat(error.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    assertThat(error.text()).contains("sandbox could not be started", "/x: Permission denied");
    assertThat(tickets.journal.entries()).isEmpty();
    assertThat(tickets.sandboxes.state().level()).isEqualTo(SandboxState.Level.REFUSED);
  }

  @Test
  @DisplayName(
      "a sandbox that stops to start is system_error, and the attempt after it goes on: the call"
          + " did not run")
  void sandboxStopsToStart() throws Exception {
    tickets.sandboxes = sandboxesWithout("echo ran");
    String script =
        "steps:\n  - tool_calls: [{name: run_command, arguments: {command: \"echo ran\"}}]\n";
    HandlerResult first = tickets.run(TARGET + "tools: [run_command]\n", script + REPORT);
    assertThat(error(first).statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    assertThat(error(first).text()).contains("sandbox could not be started");
    tickets.attempt = 2;
    tickets.run(TARGET + "tools: [run_command]\n", script + REPORT);
    assertThat(tickets.journal.entries().toString())
        .contains("This call was not run", "it works")
        .doesNotContain("unknown whether");
  }

  @Test
  @DisplayName(
      "a copy of the project that the worker runs in has neither its workspaces nor its secrets")
  void copiesOwnProject() throws Exception {
    Files.writeString(directory.resolve("main.c"), "int main;");
    Path secret = Files.writeString(directory.resolve("holdfast.yaml"), "api-key: sk-1");
    tickets.sandboxes = Sandboxes.of(SandboxMode.OFF, Map.of(), List.of(secret));

    HandlerResult result =
        tickets.run(
            TARGET + "workspace: {copy_from: \"" + directory + "\"}\n", "steps:\n" + REPORT);

    assertThat(result).isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(workspace().toFile().list()).containsExactly("main.c");
  }

  @Test
  @DisplayName("a tool box that cannot be put together stops nothing but the attempt")
  void brokenServer() throws Exception {
    String design = TARGET + "mcp: {gone: {command: [/nonesuch/server]}}\n";
    assertThat(error(tickets.run(design, "steps:\n" + REPORT)).text()).contains("gone");
  }
}
