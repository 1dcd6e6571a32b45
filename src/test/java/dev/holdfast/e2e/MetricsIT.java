package dev.holdfast.e2e;

import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** What a worker counts, as Prometheus sees it. */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class MetricsIT {
  private TestDatabase database;
  private Path directory;
  private TicketRows rows;
  @AutoClose private final ModelServer models = ModelServer.start();
  @AutoClose private Installation holdfast;
  private HoldfastProcess worker;

  @BeforeAll
  void startWorker(TestDatabase ofClass, @TempDir Path temporary) throws Exception {
    database = ofClass;
    directory = temporary;
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            // The ticket of a killed worker is for that worker's successor.
            .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "10m")
            .with("HOLDFAST_RETRY_JITTER", "0")
            .with("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", "200ms")
            .with("OPENAI_API_KEY", "sk-metrics")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
    worker = holdfast.worker("--queue", "work", "--queue", "counted");
  }

  @Test
  @DisplayName(
      "A62, A63, A64, A65: /metrics tells of retries, exhausted retries, delays in seconds and the"
          + " success rate of retries, and holdfast_* of the rest")
  void counts() throws Exception {
    rows.addDesign(
        "twice",
        Job.of(directory, "[ $HOLDFAST_ATTEMPT -gt 2 ] || { echo ETIMEDOUT >&2; exit 1; }"));
    rows.addDesign("never", Job.of(directory, "echo 'TypeError: x is not a function' >&2; exit 1"));
    double succeeded = worker.metric("holdfast_tickets_succeeded_total");
    assertThat(worker.get("/metrics").body())
        .as("before any retry")
        .doesNotContain("retry_success_rate");
    rows.awaitState(rows.enqueue("twice", "work"), "done");
    rows.awaitState(rows.enqueue("never", "work"), "on_hold");
    rows.column("INSERT INTO holdfast.queues (name) VALUES ('idle') RETURNING name");
    rows.column("SELECT holdfast.pause_queue('idle', 'ann')");

    // What comes from the database's rows is a snapshot, up to some seconds old.
    Awaitility.await()
        .untilAsserted(
            () -> {
              assertThat(worker.metric("holdfast_queue_tickets{queue=\"work\",wait=\"on_hold\"}"))
                  .isEqualTo(1);
              assertThat(worker.metric("holdfast_queue_paused{queue=\"idle\"}")).isEqualTo(1);
            });
    assertThat(worker.metric("tickets_retried_total{category=\"transient\"}")).isEqualTo(2);
    assertThat(worker.metric("tickets_retried_total{category=\"code_error\"}")).isEqualTo(1);
    assertThat(worker.metric("tickets_retried_total{category=\"api_error\"}")).isZero();
    assertThat(worker.metric("tickets_retry_exhausted_total{category=\"code_error\"}"))
        .isEqualTo(1);
    assertThat(worker.metric("tickets_retry_exhausted_total{category=\"transient\"}")).isZero();
    assertThat(worker.metric("retry_delay_seconds_count")).isEqualTo(3);
    assertThat(worker.metric("retry_delay_seconds_sum")).isEqualTo(0.2 + 0.4 + 0);
    assertThat(worker.metric("retry_delay_seconds_bucket{le=\"1.0\"}")).isEqualTo(3);
    // Of three retries that have finished, one succeeded.
    assertThat(worker.metric("retry_success_rate")).isBetween(33.3, 33.4);
    assertThat(worker.metric("tickets_retries_finished_total{outcome=\"succeeded\"}")).isEqualTo(1);
    assertThat(worker.metric("tickets_retries_finished_total{outcome=\"failed\"}")).isEqualTo(2);
    assertThat(worker.metric("tickets_retries_finished_total{outcome=\"crashed\"}")).isZero();

    assertThat(worker.metric("holdfast_tickets_claimed_total{queue=\"work\"}")).isEqualTo(5);
    assertThat(worker.metric("holdfast_tickets_succeeded_total")).isEqualTo(succeeded + 1);
    assertThat(worker.metric("holdfast_tickets_held_total")).isEqualTo(1);
    assertThat(worker.metric("holdfast_tickets_given_back_total")).isZero();
    assertThat(worker.metric("holdfast_leases_expired_total")).isZero();
    assertThat(worker.metric("holdfast_results_stale_total")).isZero();
    assertThat(worker.metric("holdfast_queue_paused{queue=\"work\"}")).isZero();
  }

  /** Its workers are soon missed. */
  private Installation impatient() {
    return Installation.on(database, directory)
        .with("HOLDFAST_WORKER_LEASE", "2s")
        .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "400ms")
        .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms")
        .with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_BASE_DELAY", "50ms")
        .with("HOLDFAST_RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", "50ms");
  }

  @Test
  @DisplayName(
      "A65: a retry whose worker was killed counts as one that did not help, at the worker that"
          + " rescued it")
  void crashedRetry() throws Exception {
    Job job =
        Job.of(
            directory,
            """
            [ $HOLDFAST_ATTEMPT -gt 1 ] || { echo ETIMEDOUT >&2; exit 1; }
            [ $HOLDFAST_ATTEMPT -gt 2 ] || { echo $$ > pid.$HOLDFAST_TICKET_ID.2; exec sleep 600; }
            """);
    rows.addDesign("dies", job);
    try (Installation impatient = impatient()) {
      long id = rows.enqueue("dies", "dies");
      HoldfastProcess first = impatient.worker("--queue", "dies");
      ProcessHandle orphan = job.awaitStart(id, 2);
      first.signal("KILL");
      first.awaitExit(Duration.ofSeconds(10));
      orphan.destroyForcibly();

      HoldfastProcess second = impatient.worker("--queue", "dies");
      rows.awaitState(id, "done");
      assertThat(second.metric("tickets_retries_finished_total{outcome=\"crashed\"}")).isEqualTo(1);
      assertThat(second.metric("tickets_retries_finished_total{outcome=\"succeeded\"}"))
          .isEqualTo(1);
      assertThat(second.metric("retry_success_rate")).isEqualTo(50);
    }
  }

  @Test
  @DisplayName("A65: an execution after the death of its worker is a retry, though it uses up none")
  void afterCrash() throws Exception {
    Job job =
        Job.of(
            directory,
            """
            [ $HOLDFAST_ATTEMPT -gt 1 ] || { echo $$ > pid.$HOLDFAST_TICKET_ID.1; exec sleep 600; }
            [ -e failed ] || { touch failed; echo ETIMEDOUT >&2; exit 1; }
            """);
    rows.addDesign("killed", job);
    try (Installation impatient = impatient()) {
      long one = rows.enqueue("killed", "killed");
      long other = rows.enqueue("killed", "killed");
      HoldfastProcess first = impatient.worker("--queue", "killed");
      List<ProcessHandle> orphans = List.of(job.awaitStart(one, 1), job.awaitStart(other, 1));
      first.signal("KILL");
      first.awaitExit(Duration.ofSeconds(10));
      orphans.forEach(ProcessHandle::destroyForcibly);

      HoldfastProcess second = impatient.worker("--queue", "killed");
      rows.awaitState(one, "done");
      rows.awaitState(other, "done");
      assertThat(second.metric("tickets_retries_finished_total{outcome=\"failed\"}")).isEqualTo(1);
      assertThat(second.metric("tickets_retries_finished_total{outcome=\"succeeded\"}"))
          .isEqualTo(2);
    }
  }

  @Test
  @DisplayName(
      "A65: an execution after a release is no retry, also where the retries that were used are"
          + " kept")
  void afterRelease() throws Exception {
    String fails = "[ $HOLDFAST_ATTEMPT -gt 4 ] || { echo 'TypeError: no' >&2; exit 1; }";
    rows.addDesign("kept", Job.of(directory, fails));
    try (Installation another =
        Installation.on(database, directory).with("HOLDFAST_WORKER_RESCUE_INTERVAL", "10m")) {
      HoldfastProcess own = another.worker("--queue", "kept");
      long id = rows.enqueue("kept", "kept");
      rows.awaitState(id, "on_hold");
      String release = "SELECT holdfast.release_ticket(%d, 'ann', NULL, %s)";
      rows.column(release.formatted(id, true));
      rows.awaitState(id, "on_hold");
      rows.column(release.formatted(id, false));
      rows.awaitState(id, "done");

      String succeeded = "tickets_retries_finished_total{outcome=\"succeeded\"}";
      assertThat(own.metric("tickets_retries_finished_total{outcome=\"failed\"}")).isEqualTo(1);
      assertThat(own.metric(succeeded)).isEqualTo(1);

      id = rows.enqueue("kept", "kept");
      rows.awaitState(id, "on_hold");
      rows.column(release.formatted(id, true));
      rows.awaitState(id, "on_hold");
      rows.column(release.formatted(id, true));
      rows.awaitState(id, "on_hold");
      rows.column(release.formatted(id, true));
      rows.awaitState(id, "done");
      assertThat(own.metric("tickets_retries_finished_total{outcome=\"failed\"}")).isEqualTo(2);
      assertThat(own.metric(succeeded)).isEqualTo(1);
    }
  }

  @Test
  @DisplayName(
      "E10, E48: an agent's requests to its provider are counted, with whether they were retried")
  void agents() throws Exception {
    String requests =
        "holdfast_provider_requests_total{outcome=\"%s\",provider=\"openai\",retried=\"%s\"}";
    models.next(
        error(500, "server_error", "it broke"),
        toolCall("list_files", "{}"),
        toolCall("agent__final_report", "{\"status\": \"success\", \"content\": \"done\"}"));
    Files.writeString(
        directory.resolve("design.yaml"),
        """
        kind: agent
        system: You count.
        targets: [{provider: openai, model: gpt-a}]
        tools: [list_files]
        """);
    holdfast.ok("design", "put", "counted", "--file", "design.yaml");
    assertThat(worker.metric(requests.formatted("answered", "true"))).isZero();
    String id =
        holdfast.ok(
            "enqueue",
            "--design",
            "counted",
            "--queue",
            "counted",
            "--payload",
            "{\"prompt\": \"Count.\"}");
    rows.awaitState(Long.parseLong(id), "needs_review");

    assertThat(worker.metric(requests.formatted("answered", "true"))).isEqualTo(1);
    assertThat(worker.metric(requests.formatted("answered", "false"))).isEqualTo(1);
    assertThat(worker.metric(requests.formatted("failed", "false"))).isZero();
    assertThat(worker.metric(requests.formatted("failed", "true"))).isZero();
  }

  @Test
  @DisplayName("/health answers JSON, and an address that is not there 404")
  void health() throws Exception {
    HttpResponse<String> live = worker.get("/health/live");
    assertThat(live.statusCode()).isEqualTo(200);
    assertThat(live.headers().firstValue("Content-Type"))
        .hasValueSatisfying(type -> assertThat(type).startsWith("application/json"));
    assertThat(live.body()).isEqualTo("{\"status\":\"up\"}");
    assertThat(worker.get("/health/ready").body()).isEqualTo("{\"status\":\"ready\"}");
    assertThat(worker.get("/metrics").body()).contains("holdfast_worker_ready 1.0");
    assertThat(worker.status("/nowhere")).isEqualTo(404);
  }
}
