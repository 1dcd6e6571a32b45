package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.answer;
import static dev.holdfast.testing.ModelBehaviour.hang;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * A repair's ticket through a worker process: real git, real projects, models over HTTP. They share
 * one; the test that kills it starts the next one.
 */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(240)
class RepairIT {
  private TicketRows rows;
  private Path home;
  @TempDir private Path directory;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;
  private HoldfastProcess worker;

  @BeforeAll
  void install(TestDatabase database, @TempDir Path place) throws Exception {
    rows = new TicketRows(database.dataSource());
    home = place;
    holdfast =
        Installation.on(database, home)
            .with("OPENAI_API_KEY", "sk-repair-it")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl())
            .with("HOLDFAST_WORKER_LEASE", "3s")
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "400ms")
            .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms")
            .with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_BASE_DELAY", "50ms");
    worker = holdfast.worker();
  }

  @BeforeEach
  void forget() {
    models.forget();
  }

  private Path repository() {
    return directory.resolve("project");
  }

  private long enqueue(BrokenProject project) throws Exception {
    Files.createDirectories(repository());
    project.commitIn(repository());
    return enqueue(project, "path: \"" + repository() + "\"", "merge");
  }

  private long enqueue(BrokenProject project, String where, String onApprove) throws Exception {
    String words = JsonMapper.shared().writeValueAsString(project.check());
    Files.writeString(
        home.resolve("mender.yaml"),
        """
        kind: repair
        repository: {%s, ref: main}
        goal: Make the check pass.
        verify: [{name: check, command: %s, timeout: 1m}]
        targets: [{provider: openai, model: gpt-m}]
        on_approve: %s
        """
            .formatted(where, words, onApprove));
    holdfast.ok("design", "put", "mender", "--file", "mender.yaml");
    return Long.parseLong(holdfast.ok("enqueue", "--design", "mender"));
  }

  private long deliveryOf(long id) {
    return Long.parseLong(
        rows.value(
            "SELECT id FROM holdfast.tickets WHERE payload #>> '{deliver,ticket}' = ?::text", id));
  }

  /** A corrupt diff, a wrong fix, the same again, then three candidates of which two pass. */
  private void script(BrokenProject project) {
    models.next(
        answer(project.corrupt()),
        answer(project.change(project.wrong())),
        answer(project.change(project.wrong())),
        answer(project.change(project.lengthy())),
        answer(project.change(project.right())),
        answer(project.change(project.wrong())));
  }

  private void mends(BrokenProject project) throws Exception {
    script(project);
    long id = enqueue(project);
    String before = BrokenProject.git(repository(), "rev-parse", "main");
    rows.awaitState(id, "needs_review");

    JsonNode result = JsonMapper.shared().readTree(rows.of(id, "result::text"));
    assertThat(result.path("diff").asString())
        .contains("-" + project.buggy(), "+" + project.right())
        .doesNotContain("for (");
    assertThat(result.path("branch").asString()).isEqualTo("holdfast/ticket-" + id);
    assertThat(result.path("iterations").asInt()).isEqualTo(3);
    assertThat(result.path("escalations").asInt()).isEqualTo(1);
    assertThat(models.requests()).hasSize(6);
    Path trace = home.resolve(result.path("trace").asString());
    assertThat(trace).isNotEmptyFile();
    assertThat(BrokenProject.git(repository(), "rev-parse", "main")).isEqualTo(before);
    assertThat(Files.readString(repository().resolve(project.source()))).contains(project.buggy());
    assertThat(BrokenProject.git(repository(), "rev-parse", "holdfast/ticket-" + id))
        .isEqualTo(result.path("commit").asString());
    assertThat(holdfast.ok("show", Long.toString(id)))
        .contains("passes with a patch", "step run-1");

    // The database and the directory have the runs of other tests, too.
    Path own = Files.createDirectories(directory.resolve("traces/run"));
    Files.copy(trace, own.resolve("trace.jsonl"));
    JsonNode stats =
        JsonMapper.shared()
            .readTree(holdfast.ok("runs", "stats", "--json", "--traces", directory + "/traces"));
    assertThat(stats.path("requests").asInt()).isEqualTo(6);
    assertThat(holdfast.ok("runs")).contains("verification_passed");

    holdfast.ok("approve", Long.toString(id));
    long delivery = deliveryOf(id);
    rows.awaitState(delivery, "done");
    assertThat(BrokenProject.git(repository(), "show", "main:" + project.source()))
        .contains(project.right());
    assertThat(rows.of(id, "state")).isEqualTo("done");
  }

  @Test
  @DisplayName(
      "issue 6, a Java project: a corrupt diff, a wrong fix twice, escalation, three candidates:"
          + " the smallest that passes waits for review, and is merged once approved")
  void javaProject() throws Exception {
    mends(BrokenProject.java());
  }

  @Test
  @DisplayName("issue 6, the same on a Node project")
  void nodeProject() throws Exception {
    assumeTrue(
        Files.isExecutable(Path.of("/usr/bin/node"))
            || Files.isExecutable(Path.of("/usr/local/bin/node")),
        "node is not installed");
    mends(BrokenProject.node());
  }

  @Test
  @DisplayName(
      "issue 6.6: a worker killed in mid-run: the next one goes on, no answer is paid for twice")
  void killed() throws Exception {
    BrokenProject project = BrokenProject.shell();
    models.next(
        answer(project.corrupt()),
        answer(project.change(project.wrong())),
        hang(),
        answer(project.change(project.right())));
    long id = enqueue(project);
    TicketRows.await("the third request").until(() -> models.requests().size() >= 3);
    worker.signal("KILL");
    worker.awaitExit(Duration.ofSeconds(10));
    worker = holdfast.worker();
    rows.awaitState(id, "needs_review");
    assertThat(models.requests()).hasSize(4);
    assertThat(rows.outcomes(id)).containsExactly("crashed", "succeeded");
    assertThat(rows.of(id, "result->>'iterations'")).isEqualTo("3");
    List<String> types =
        rows.column(
            "SELECT type FROM holdfast.repair_events WHERE ticket_id = ? AND type NOT LIKE"
                + " 'Provider%' ORDER BY seq, no",
            id);
    assertThat(types)
        .containsExactly(
            "RunStarted",
            "VerificationFinished",
            "IterationStarted",
            "RepairAttempted",
            "IterationStarted",
            "RepairAttempted",
            "VerificationFinished",
            "IterationStarted",
            "RepairAttempted",
            "VerificationFinished",
            "RunStopped");
  }

  @Test
  @DisplayName(
      "issue 6.7: a run that gets nowhere waits on_hold with its failing checks and its best"
          + " candidate, and a release with guidance goes on from there")
  void held() throws Exception {
    BrokenProject project = BrokenProject.shell();
    models.always(answer("I do not know."));
    long id = enqueue(project);
    rows.awaitState(id, "on_hold");
    assertThat(rows.of(id, "hold_reason")).isEqualTo("invalid_output");
    assertThat(holdfast.ok("show", Long.toString(id)))
        .contains("Failing checks:", "check", "No patch has applied so far");

    models.always(answer(project.change(project.right())));
    holdfast.ok("release", Long.toString(id), "--guidance", "multiply");
    rows.awaitState(id, "needs_review");
    assertThat(models.lastRequest().body().toString()).contains("multiply");
  }

  @Test
  @DisplayName(
      "issue 6.1: a rejection with feedback goes on from the refused patch, and on_approve: push"
          + " brings the approved one to the bare repository that its URL names")
  void rejectedThenPushed() throws Exception {
    BrokenProject project = BrokenProject.shell();
    Files.createDirectories(repository());
    project.commitIn(repository());
    Path bare = directory.resolve("project.git");
    BrokenProject.git(directory, "clone", "-q", "--bare", repository().toString(), bare.toString());
    String before = BrokenProject.git(bare, "rev-parse", "main");
    models.next(
        answer(project.change(project.lengthy())),
        answer(project.change(project.lengthy(), project.right())));
    long id = enqueue(project, "url: \"" + bare.toUri() + "\"", "push");
    rows.awaitState(id, "needs_review");
    assertThat(rows.of(id, "result->>'diff'")).contains("+  total=$((total + price))");

    holdfast.ok("reject", Long.toString(id), "--feedback", "Multiply, no loop.");
    TicketRows.await("the second request").until(() -> models.requests().size() == 2);
    rows.awaitState(id, "needs_review");
    assertThat(models.lastRequest().body().toString())
        .contains("Multiply, no loop.", "did not accept it", "total + price");
    assertThat(rows.of(id, "result->>'diff'"))
        .contains("-" + project.buggy(), "+" + project.right())
        .doesNotContain("total + price");
    assertThat(BrokenProject.git(bare, "for-each-ref", "--format=%(refname)"))
        .isEqualTo("refs/heads/main");

    holdfast.ok("approve", Long.toString(id));
    long delivery = deliveryOf(id);
    rows.awaitState(delivery, "done");
    String branch = "holdfast/ticket-" + id;
    assertThat(BrokenProject.git(bare, "rev-parse", branch))
        .isEqualTo(rows.of(id, "result->>'commit'"));
    assertThat(BrokenProject.git(bare, "rev-parse", branch + "^", "main"))
        .isEqualTo(before + "\n" + before);
    assertThat(BrokenProject.git(bare, "show", branch + ":" + project.source()))
        .contains(project.right())
        .doesNotContain("while [");
    assertThat(rows.of(delivery, "result->>'delivered_to'")).contains(branch);
  }

  @Test
  @DisplayName("A rejection without a word goes on from the refused patch, too: it has to change")
  void rejectedSilently() throws Exception {
    BrokenProject project = BrokenProject.shell();
    models.next(
        answer(project.change(project.lengthy())),
        answer(project.change(project.lengthy(), project.right())));
    long id = enqueue(project);
    rows.awaitState(id, "needs_review");
    rows.value("UPDATE holdfast.tickets SET state = 'ready' WHERE id = ? RETURNING id", id);
    TicketRows.await("the second request").until(() -> models.requests().size() == 2);
    rows.awaitState(id, "needs_review");
    assertThat(rows.of(id, "result->>'diff'")).doesNotContain("total + price");
    models.forget();
  }

  @Test
  @DisplayName(
      "issue 20, 1.5: what a design with review: none has done is no approval, nor what a sample"
          + " left out, which is merged at once: an order of another design to deliver it is held,"
          + " and its remote gets nothing")
  void notReviewedIsNotApproved() throws Exception {
    BrokenProject project = BrokenProject.shell();
    models.next(answer(project.change(project.right())));
    long id = enqueueUnreviewed(project, "none", "none");
    rows.awaitState(id, "done");
    String before = BrokenProject.git(repository(), "rev-parse", "main");
    assertThat(BrokenProject.git(repository(), "show", "main:" + project.source()))
        .contains(project.buggy());
    models.next(answer(project.change(project.right())));
    long sampled = enqueueUnreviewed(project, "merge", "{sample: 0 %}");
    rows.awaitState(sampled, "done");
    assertThat(rows.outcomes(sampled)).containsExactly("succeeded");
    assertThat(BrokenProject.git(repository(), "rev-parse", "main^")).isEqualTo(before);
    assertThat(BrokenProject.git(repository(), "show", "main:" + project.source()))
        .contains(project.right());

    Path bare = directory.resolve("thief.git");
    BrokenProject.git(directory, "init", "-q", "--bare", bare.toString());
    Files.writeString(
        home.resolve("thief.yaml"),
        """
        kind: repair
        repository: {url: "%s", ref: main}
        verify: [{name: check, command: ["true"]}]
        targets: [{provider: openai, model: gpt-m}]
        on_approve: push
        """
            .formatted(bare.toUri()));
    holdfast.ok("design", "put", "thief", "--file", "thief.yaml");
    requireHeld("thief", id);
    requireHeld("thief", sampled);
    requireHeld("mender", sampled);
    assertThat(BrokenProject.git(bare, "for-each-ref")).isEmpty();
  }

  @Test
  @DisplayName(
      "an approved repair whose branch has moved on waits on_hold, and says what helps: its order"
          + " to deliver names the commit, so that a fresh start of it would change nothing")
  void movedOn() throws Exception {
    BrokenProject project = BrokenProject.shell();
    Files.createDirectories(repository());
    project.commitIn(repository());
    models.next(answer(project.change(project.right())));
    long id = enqueue(project, "path: \"" + repository() + "\"", "merge");
    rows.awaitState(id, "needs_review");
    String moved =
        BrokenProject.git(
            repository(), "commit-tree", "main^{tree}", "-p", "main", "-m", "Something else");
    BrokenProject.git(repository(), "update-ref", "refs/heads/main", moved);
    holdfast.ok("approve", Long.toString(id));
    long delivery = deliveryOf(id);
    rows.awaitState(delivery, "on_hold");
    assertThat(rows.of(delivery, "error"))
        .contains(
            "has moved on since the repair began: merge holdfast/ticket-"
                + id
                + " by hand and cancel this ticket, or enqueue the repair again")
        .doesNotContain("--fresh");
  }

  private void requireHeld(String design, long repaired) throws Exception {
    String order =
        "{\"deliver\": {\"ticket\": %s, \"base_commit\": \"%s\", \"commit\": \"%s\"}}"
            .formatted(
                repaired,
                rows.of(repaired, "result->>'base_commit'"),
                rows.of(repaired, "result->>'commit'"));
    long delivery = Long.parseLong(holdfast.ok("enqueue", "--design", design, "--payload", order));
    rows.awaitState(delivery, "on_hold");
    assertThat(rows.of(delivery, "error")).contains("is not approved by a person");
  }

  private long enqueueUnreviewed(BrokenProject project, String onApprove, String review)
      throws Exception {
    if (Files.notExists(repository())) {
      Files.createDirectories(repository());
      project.commitIn(repository());
    }
    return enqueue(project, "path: \"" + repository() + "\"", onApprove + "\nreview: " + review);
  }
}
