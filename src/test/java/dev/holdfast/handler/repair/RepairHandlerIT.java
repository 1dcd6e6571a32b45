package dev.holdfast.handler.repair;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.ErrorReport;
import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.llm.scripted.Script;
import dev.holdfast.llm.scripted.ScriptedProvider;
import dev.holdfast.process.OwnSession;
import dev.holdfast.process.ProgramRun;
import dev.holdfast.repair.GitRepairRepository;
import dev.holdfast.repair.ModelPorts;
import dev.holdfast.repair.RepairSettings;
import dev.holdfast.repair.git.GitBench;
import dev.holdfast.repair.git.TicketRepositories;
import dev.holdfast.repair.trace.Trace;
import dev.holdfast.repair.verify.Verifier;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.AllowanceStore;
import dev.holdfast.session.journal.InMemoryJournal;
import dev.holdfast.session.journal.Journal;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.Ticket;
import dev.holdfast.tool.sandbox.Bubblewrap;
import dev.holdfast.tool.sandbox.Network;
import dev.holdfast.tool.sandbox.Sandbox;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.TicketContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Repairs on real git; the model is a script. */
@Timeout(120)
class RepairHandlerIT {
  private static final String ANSWER =
      """
      steps:
        - text: |
            a.txt
            <<<<<<< SEARCH
            a
            =======
            b
            >>>>>>> REPLACE
      """;

  private static final Instant CREATED = Instant.parse("2026-11-21T08:00:00Z");

  @TempDir private Path directory;
  private final Journal journal = new InMemoryJournal();
  private final ScriptedProvider provider =
      new ScriptedProvider("played", Script.parse(ANSWER), call -> {}, Sleeper.REAL);
  private GitBench bench;
  private InstantSource wall = InstantSource.system();
  private Path original;
  private int attempt = 1;

  @BeforeEach
  void prepare() throws Exception {
    bench = new GitBench(directory);
    original = bench.repository("original", Map.of("a.txt", "a\n"));
  }

  private ErrorReport failure(Path path, String ref, String verify) throws InterruptedException {
    return failure(new Sandbox.None("this test needs none"), path, ref, verify);
  }

  private ErrorReport failure(Sandbox sandbox, Path path, String ref, String verify)
      throws InterruptedException {
    return ((HandlerResult.Failed) attempt(sandbox, path, ref, verify)).error();
  }

  private HandlerResult attempt(Sandbox sandbox, Path path, String ref, String verify)
      throws InterruptedException {
    String design =
        """
        kind: repair
        repository: {path: "%s", ref: %s}
        verify: [%s]
        targets: [{provider: played, model: m}]
        """
            .formatted(path, ref, verify);
    return handler(sandbox, "work").handle(context(design));
  }

  private RepairHandler handler() {
    return handler("work");
  }

  /** Of a worker with a workspace of its own. */
  private RepairHandler handler(String workspace) {
    return handler(new Sandbox.None("this test needs none"), workspace);
  }

  private RepairHandler handler(Sandbox sandbox, String workspace) {
    Verifier verifier = new Verifier(sandbox, System.getenv(), Secrets.NONE);
    RepairPorts ports =
        new RepairPorts(
            Map.of("played", provider),
            new ModelPorts(
                Sleeper.REAL,
                System::nanoTime,
                () -> 0,
                CallRetryOptions.DEFAULTS,
                ProviderEventListener.NONE),
            CallGuard.NONE,
            ticketId -> AllowanceStore.Own.NONE,
            (ticketId, leaseNo) -> journal,
            (ticketId, leaseNo, event) -> {},
            Trace.Steps.NONE,
            new TicketRepositories(directory.resolve(workspace), GitBench.GIT),
            network -> new GitRepairRepository.Tools(GitBench.GIT, verifier),
            (ticketId, designId) -> true,
            wall);
    return new RepairHandler(
        new RepairPorts.Settings(
            directory.resolve("runs"), RepairSettings.DEFAULTS, 0, 1, 8192, Secrets.NONE),
        ports);
  }

  private TicketContext context(String design) {
    return context(17, "{}", design);
  }

  private TicketContext context(long id, String payload, String design) {
    ClaimedTicket claimed =
        new ClaimedTicket(
            new Ticket(id, "default", "repair", "A title", payload, 4, CREATED),
            new Lease(99, "worker-1", CREATED, CREATED.plusSeconds(60)),
            Optional.of(new Design(5, "mender", 3, "repair", design)),
            attempt,
            0,
            List.of());
    return new TicketContext() {
      @Override
      public ClaimedTicket claimed() {
        return claimed;
      }

      @Override
      public boolean isCancelled() {
        return false;
      }
    };
  }

  @Test
  @DisplayName("a provider that the worker does not have is held at once, with what to set")
  void providerMissing() throws Exception {
    String design =
        """
        kind: repair
        repository: {path: "%s", ref: main}
        verify: [{name: check, command: ["false"]}]
        targets: [{provider: openai, model: m}]
        """
            .formatted(original);
    assertThat(handler().handle(context(design)))
        .isInstanceOfSatisfying(
            HandlerResult.Held.class,
            held -> {
              assertThat(held.reason())
                  .contains("providers.openai", "(it has played), then release");
              assertThat(held.error().statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
            });
  }

  @Test
  @DisplayName("A9: a ref that the repository has not, or not yet, is system_error, as git's other")
  void noSuchRef() throws Exception {
    String check = "{name: check, command: [\"false\"]}";
    ErrorReport wrong = failure(original, "nope", check);
    assertThat(wrong.text()).contains("has no branch, tag or commit nope");
    assertThat(wrong.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    Path empty = Files.createDirectory(directory.resolve("empty"));
    bench.owner(empty, "init", "-q", "-b", "main");
    assertThat(failure(empty, "main", check).statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
  }

  @Test
  @DisplayName("what a killed worker has left running ends before a repair's next attempt")
  void endsLeftPrograms() throws Exception {
    OwnSession ofKilled =
        OwnSession.of(
            List.of("sleep", "1000"),
            directory,
            Map.of("PATH", "/usr/bin:/bin", ProgramRun.RUN_ID, "1:1:of-a-killed-worker"));
    Process left = ofKilled.start();
    try {
      attempt = 2;
      failure(original, "nope", "{name: check, command: [\"false\"]}");
      assertThat(left.waitFor(Duration.ofSeconds(5))).isTrue();
    } finally {
      left.destroyForcibly();
    }
  }

  @Test
  @DisplayName("a sandbox that does not start is system_error, and no model is asked")
  void sandboxDoesNotStart() throws Exception {
    Path broken = directory.resolve("bwrap");
    Files.writeString(
        broken, "#!/bin/sh\necho \"bwrap: Can't create file at /x: Permission denied\"\nexit 1\n");
    Files.setPosixFilePermissions(broken, PosixFilePermissions.fromString("rwxr-xr-x"));
    Sandbox sandbox =
        new Bubblewrap(broken, List.of(), List.of(), List.of(), Network.NONE, Optional.empty());
    ErrorReport error = failure(sandbox, original, "main", "{name: check, command: [\"true\"]}");
    assertThat(error.text()).contains("the sandbox could not be started", "/x: Permission denied");
    assertThat(error.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    assertThat(journal.entries().toString()).doesNotContain("an answer");
  }

  @Test
  @DisplayName("A8: a design whose reports have no test fails as code_error, without a call")
  void noReports() throws Exception {
    ErrorReport error =
        failure(original, "main", "{name: check, command: [\"true\"], junit: \"out/*.xml\"}");
    assertThat(error.text()).contains("check exits with 0, but no test is in any report");
    assertThat(error.statedCategory()).isEqualTo(Category.CODE_ERROR);
    assertThat(journal.entries().toString()).doesNotContain("SEARCH");
  }

  @Test
  @DisplayName(
      "a verification whose program this machine has not is system_error, and no model is asked;"
          + " one that the repository has not may be added by a patch")
  void noSuchProgram() throws Exception {
    for (String program : List.of("no-such-program", "/opt/no/such")) {
      ErrorReport error =
          failure(original, "main", "{name: check, command: [%s]}".formatted(program));
      assertThat(error.text()).contains("check: cannot start " + program + ": ENOENT");
      assertThat(error.statedCategory()).isEqualTo(Category.SYSTEM_ERROR);
    }
    assertThat(journal.entries().toString()).doesNotContain("SEARCH");
    String ofRepository = "{name: check, command: [./no-such]}";
    assertThat(attempt(new Sandbox.None("none needed"), original, "main", ofRepository))
        .isInstanceOf(HandlerResult.Held.class);
    assertThat(journal.entries().toString()).contains("SEARCH");
  }

  private HandlerResult unreviewed(String repository, String verify) throws InterruptedException {
    String design =
        """
        kind: repair
        repository: {%s, ref: main}
        verify: [{name: check, command: [sh, -c, "%s"]}]
        targets: [{provider: played, model: m}]
        on_approve: merge
        review: none
        """
            .formatted(repository, verify);
    return handler().handle(context(design));
  }

  @Test
  @DisplayName(
      "What needs no review and could not be delivered is delivered once it is released, and only"
          + " then done; a worker lost behind the delivery does no harm")
  void deliveredLater() throws Exception {
    String path = "path: '" + original + "'";
    Files.writeString(original.resolve("a.txt"), "mine\n");
    assertThat(unreviewed(path, "grep -q b a.txt"))
        .isInstanceOfSatisfying(
            HandlerResult.Held.class,
            held -> assertThat(held.error().text()).contains("repaired, but not delivered"));
    bench.owner(original, "checkout", "-q", "a.txt");
    assertThat(unreviewed(path, "grep -q b a.txt")).isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(bench.owner(original, "show", "main:a.txt")).isEqualTo("b");
    bench.commit(original, Map.of("c.txt", "c\n"));
    String main = bench.owner(original, "rev-parse", "main");
    assertThat(unreviewed(path, "grep -q b a.txt")).isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(bench.owner(original, "rev-parse", "main")).isEqualTo(main);
  }

  @Test
  @DisplayName(
      "The copy of a repository is deleted once a result that nobody looks at is delivered, and"
          + " stays until then")
  void deliveredAndGone() throws Exception {
    String path = "path: '" + original + "'";
    Path copy = directory.resolve("work/ticket-17");
    Files.writeString(original.resolve("a.txt"), "mine\n");
    assertThat(unreviewed(path, "grep -q b a.txt")).isInstanceOf(HandlerResult.Held.class);
    assertThat(copy).isNotEmptyDirectory();
    bench.owner(original, "checkout", "-q", "a.txt");
    assertThat(unreviewed(path, "grep -q b a.txt")).isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(copy).doesNotExist();
  }

  @Test
  @DisplayName(
      "A delivered result is one, although a left program keeps the copy from being deleted")
  void deliveredNotGone() throws Exception {
    Path left = directory.resolve("work/ticket-17/left");
    AtomicBoolean over = new AtomicBoolean();
    Thread program =
        Thread.ofPlatform()
            .start(
                () -> {
                  for (int i = 0; !over.get(); i++) {
                    try {
                      Files.createDirectories(left);
                      Files.writeString(left.resolve("file-" + i % 500), "");
                    } catch (IOException e) {
                      // deleted meanwhile
                    }
                  }
                });
    try {
      assertThat(unreviewed("path: '" + original + "'", "grep -q b a.txt"))
          .isInstanceOf(HandlerResult.Succeeded.class);
    } finally {
      over.set(true);
      program.join();
    }
    assertThat(bench.owner(original, "show", "main:a.txt")).isEqualTo("b");
  }

  @Test
  @DisplayName("The trace of a run whose worker was lost at its end has that end, too")
  void tracedToItsEnd() throws Exception {
    String design = reviewed("path: '" + original + "'");
    Path trace = directory.resolve(repaired(design).path("trace").asString());
    List<String> lines = Files.readAllLines(trace);
    assertThat(lines.getLast()).contains("RunStopped");
    Files.write(trace, lines.subList(0, lines.size() - 1));
    repaired(design);
    assertThat(Files.readAllLines(trace)).isEqualTo(lines);
  }

  @Test
  @DisplayName(
      "What needs no review fails where its URL cannot be reached at the end, and the next attempt"
          + " delivers it")
  void deliveredOnceReached() throws Exception {
    Path bare = directory.resolve("bare.git");
    Path away = directory.resolve("away.git");
    bench.owner(directory, "clone", "-q", "--bare", original.toString(), bare.toString());
    String verify = "grep -q b a.txt && mv %s %s; grep -q b a.txt".formatted(bare, away);
    String url = "url: 'file://" + bare + "'";
    assertThat(unreviewed(url, verify)).isInstanceOf(HandlerResult.Failed.class);
    Files.move(away, bare);
    assertThat(unreviewed(url, verify)).isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(bench.owner(bare, "show", "main:a.txt")).isEqualTo("b");
  }

  private static String reviewed(String repository) {
    return """
    kind: repair
    repository: {%s, ref: main}
    verify: [{name: check, command: [grep, -q, b, a.txt]}]
    targets: [{provider: played, model: m}]
    on_approve: merge
    """
        .formatted(repository);
  }

  private JsonNode repaired(String design) throws InterruptedException {
    HandlerResult result = handler("one").handle(context(design));
    return JsonMapper.shared()
        .readTree(Objects.requireNonNull(((HandlerResult.Succeeded) result).result()));
  }

  /** By a worker on another host. */
  private HandlerResult deliver(String design, String base, String commit)
      throws InterruptedException {
    String order =
        """
        {"deliver": {"ticket": 17, "base_commit": "%s", "commit": "%s"}}
        """
            .formatted(base, commit);
    return handler("two").handle(context(18, order, design));
  }

  @Test
  @DisplayName(
      "A worker that has not made an approved result takes it from the repository, but no other"
          + " commit than the approved one")
  void deliveredElsewhere() throws Exception {
    String design = reviewed("path: '" + original + "'");
    JsonNode result = repaired(design);
    String base = result.path("base_commit").asString();
    String commit = result.path("commit").asString();
    String forged = bench.owner(original, "commit-tree", base + "^{tree}", "-p", base, "-m", "x");
    assertThat(deliver(design, base, forged))
        .isInstanceOfSatisfying(
            HandlerResult.Held.class,
            held ->
                assertThat(held.error().text())
                    .contains("neither on this worker's host nor in the journal"));
    assertThat(bench.owner(original, "rev-parse", "main")).isEqualTo(base);
    assertThat(deliver(design, base, commit)).isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(bench.owner(original, "rev-parse", "main")).isEqualTo(commit);
    assertThat(bench.owner(original, "branch", "--list", "holdfast/*", "--format=%(refname:short)"))
        .isEqualTo("holdfast/ticket-17");
  }

  @Test
  @DisplayName("A worker that has not made an approved result of a URL makes it again of its diff")
  void madeAgainElsewhere() throws Exception {
    Path bare = directory.resolve("bare.git");
    bench.owner(directory, "clone", "-q", "--bare", original.toString(), bare.toString());
    String design = reviewed("url: 'file://" + bare + "'");
    JsonNode result = repaired(design);
    String base = result.path("base_commit").asString();
    assertThat(deliver(design, base, result.path("commit").asString()))
        .isInstanceOf(HandlerResult.Succeeded.class);
    assertThat(bench.owner(bare, "rev-parse", "main^")).isEqualTo(base);
    assertThat(bench.owner(bare, "show", "main:a.txt")).isEqualTo("b");
  }

  @Test
  @DisplayName(
      "What was merged into a URL, and told by nobody, counts as delivered for a worker that makes"
          + " it again")
  void deliveredUnsaid() throws Exception {
    Path bare = directory.resolve("bare.git");
    bench.owner(directory, "clone", "-q", "--bare", original.toString(), bare.toString());
    String design = reviewed("url: 'file://" + bare + "'");
    JsonNode result = repaired(design);
    String base = result.path("base_commit").asString();
    String commit = result.path("commit").asString();
    wall = () -> CREATED.plusSeconds(60);
    for (int i = 0; i < 2; i++) {
      assertThat(deliver(design, base, commit)).isInstanceOf(HandlerResult.Succeeded.class);
      assertThat(bench.owner(bare, "rev-parse", "main")).isEqualTo(commit);
    }
  }
}
