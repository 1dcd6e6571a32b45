package dev.holdfast.e2e;

import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.InputStream;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/** Issue 20, 1.6: whoever looks at a worker takes nothing from its jobs. */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class NeighboursIT {
  private static final int VIEWERS = 12;

  /** Stored once, and compressed; whoever takes it from here need not do that again. */
  private static final String MEGABYTE =
      "CREATE TABLE megabyte AS SELECT jsonb_build_object('a', repeat(md5('1'), 30000)) AS large";

  private TestDatabase database;
  private Path directory;
  private TicketRows rows;
  @AutoClose private Installation small;
  private HoldfastProcess worker;

  @BeforeAll
  void startSmallWorker(TestDatabase ofAll, @TempDir Path temporary) throws Exception {
    database = ofAll;
    directory = temporary;
    rows = new TicketRows(database.dataSource());
    rows.column(MEGABYTE);
    small =
        Installation.on(database, directory)
            .with("JDK_JAVA_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError");
    worker = small.start("worker", "--port", "0", "--queue", "default").awaitConsole();
  }

  @Test
  @DisplayName(
      "twelve viewers of 200 tickets of 1 MB each end no worker of 256 MB, and are told no payload")
  void largeTickets() throws Exception {
    Job job = Job.waiting(directory);
    rows.addDesign("wait", job);
    rows.column(
        """
        SELECT holdfast.enqueue_ticket('nobody', large, title => 'large ' || n)
        FROM megabyte, generate_series(1, 200) n
        """);
    long running = rows.enqueue("wait", "default");
    job.awaitStart(running, 1);
    List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
    for (int i = 0; i < VIEWERS; i++) {
      answers.add(worker.sendGet("/api/v1/tickets?limit=500"));
    }
    for (CompletableFuture<HttpResponse<String>> answer : answers) {
      HttpResponse<String> response = answer.join();
      assertThat(response.statusCode()).isIn(200, 503);
      assertThat(response.body()).hasSizeLessThan(4_000_000).doesNotContain("payload");
    }
    assertThat(answers)
        .anySatisfy(answer -> assertThat(answer.join().body()).contains("\"title\":\"large 200\""));
    assertThat(worker.isAlive()).isTrue();
    job.go(running, 1);
    rows.awaitState(running, "done");
    assertThat(rows.outcomes(running)).containsExactly("succeeded");
  }

  private static final HttpClient HTTP = HttpClient.newHttpClient();
  private static final int STEPS = 1_000;

  /** 33 MB of a ticket's steps. */
  private static final String LONG_SESSION =
      """
      INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry)
      SELECT %%s, n, 1, 'step_finished', jsonb_build_object('entry', 'step_finished', 'step', 'Step ' || n, 'value', repeat(md5(n::text), 1000),
        'events', '[]'::jsonb, 'usage', '{"input": 2, "cacheRead": 0, "cacheWrite": 0, "output": 1}'::jsonb, 'elapsedMs', 1)
      FROM generate_series(1, %s) n
      RETURNING seq
      """
          .formatted(STEPS);

  /** Each of these ended the process where nothing bounded it. */
  private static final List<String> PAGES =
      List.of("/review", "/api/v1/designs", "/designs", "/api/v1/schedules", "/schedules");

  @Test
  @DisplayName(
      "results, designs, schedules and sessions of megabytes end no worker of 256 MB, whatever a"
          + " viewer asks for, and each is there for who asks for it alone")
  void largeContents() throws Exception {
    rows.column(
        """
        WITH results AS (
          INSERT INTO holdfast.tickets (kind, state, result)
          SELECT 'x', 'needs_review', jsonb_build_object('a', repeat('\u20ac', 3000000)) FROM generate_series(1, 6)
          RETURNING 1
        ), designs AS (
          INSERT INTO holdfast.designs (name, version, kind, definition, created_by)
          SELECT 'large-' || n, 1, 'x', large, 'ann' FROM megabyte, generate_series(1, 75) n
          RETURNING 1
        )
        SELECT count(*) FROM megabyte, generate_series(1, 25) n, LATERAL holdfast.put_schedule('large-' || n, 'ann', every => '1 h', kind => 'x',
          payload => large, next_at => now() + interval '1 day')
        """);
    long talked = rows.enqueue("large-1", "nobody");
    rows.column(LONG_SESSION.formatted(talked));
    for (String page : PAGES) {
      List<CompletableFuture<HttpResponse<String>>> answers = new ArrayList<>();
      for (int i = 0; i < 2; i++) {
        answers.add(worker.sendGet(page));
      }
      for (CompletableFuture<HttpResponse<String>> answer : answers) {
        assertThat(answer.join().statusCode()).as(page).isIn(200, 503);
        assertThat(answer.join().body()).as(page).hasSizeLessThan(10_000_000);
      }
    }
    assertThat(worker.sendGet("/api/v1/designs/large-75").join().body())
        .hasSizeGreaterThan(900_000);
    assertThat(worker.sendGet("/api/v1/schedules/large-24").join().body())
        .hasSizeGreaterThan(900_000);
    String result = rows.value("SELECT min(id) FROM holdfast.tickets WHERE state = 'needs_review'");
    assertThat(worker.sendGet("/api/v1/tickets/" + result).join().body())
        .hasSizeGreaterThan(2_900_000);
    List<CompletableFuture<HttpResponse<InputStream>>> transcripts = new ArrayList<>();
    List<CompletableFuture<HttpResponse<String>>> pages = new ArrayList<>();
    for (int i = 0; i < 3; i++) {
      transcripts.add(
          HTTP.sendAsync(
              worker.request("/api/v1/tickets/" + talked + "/transcript").build(),
              HttpResponse.BodyHandlers.ofInputStream()));
      pages.add(worker.sendGet("/tickets/" + talked));
    }
    for (CompletableFuture<HttpResponse<InputStream>> transcript : transcripts) {
      try (InputStream body = transcript.join().body()) {
        assertThat(new JsonMapper().readTree(body).get("entries")).hasSize(STEPS);
      }
    }
    for (CompletableFuture<HttpResponse<String>> page : pages) {
      assertThat(page.join().body())
          .hasSizeLessThan(10_000_000)
          .contains("Step " + STEPS)
          .contains("older steps left out")
          .contains("2,000 tokens in, 1,000 out");
    }
    assertThat(worker.isAlive()).isTrue();
  }

  /**
   * 48 MB that a session has said in its time, of which it goes on with the last half a megabyte.
   */
  private static final String COMPACTED_SESSION =
      """
      INSERT INTO holdfast.session_journal (ticket_id, seq, lease_no, kind, entry)
      SELECT t.id, n, 1, 'compacted', jsonb_build_object('entry', 'compacted', 'summarised', false,
        'messages', jsonb_build_array(jsonb_build_object('role', 'user', 'content', repeat(md5(n::text), 15000))),
        'usage', '{"input": 2, "cacheRead": 0, "cacheWrite": 0, "output": 1}'::jsonb)
      FROM holdfast.tickets t, generate_series(1, 100) n
      WHERE t.queue = 'sessions'
      RETURNING seq
      """;

  @Test
  @DisplayName("8 sessions whose journals have 48 MB each go on at once in a worker of 256 MB")
  void longSessions() throws Exception {
    Path script = directory.resolve("report.yaml");
    Files.writeString(
        script,
        "steps: [{tool_calls: [{name: agent__final_report, arguments: {status: success, content:"
            + " done}}]}]");
    Files.writeString(
        directory.resolve("talks.yaml"),
        "kind: agent\nreview: none\ntargets: [{provider: rehearsal, model: m}]\n");
    small.ok("design", "put", "talks", "--file", "talks.yaml");
    List<Long> sessions = new ArrayList<>();
    for (int i = 0; i < 8; i++) {
      sessions.add(rows.enqueue("talks", "sessions"));
    }
    rows.column(COMPACTED_SESSION);
    try (Installation holdfast =
        Installation.on(database, directory)
            .with("JDK_JAVA_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError")
            .with("HOLDFAST_PROVIDERS_REHEARSAL_TYPE", "scripted")
            .with("HOLDFAST_PROVIDERS_REHEARSAL_SCRIPT", script.toString())) {
      HoldfastProcess other =
          holdfast.start("worker", "--port", "0", "--queue", "sessions").awaitConsole();
      await("all sessions have ended, or their worker has")
          .until(() -> !other.isAlive() || rows.value(IN_SESSION).equals("0"));
      assertThat(other.isAlive()).as(other.toString()).isTrue();
      for (long id : sessions) {
        assertThat(rows.outcomes(id)).containsExactly("succeeded");
      }
    }
  }

  private static final String IN_SESSION =
      "SELECT count(*) FROM holdfast.tickets WHERE queue = 'sessions' AND state IN ('ready',"
          + " 'in_progress')";

  @Test
  @DisplayName("sixty searches that the database does not answer cost no running job its lease")
  void slowSearches() throws Exception {
    Job job = Job.waiting(directory);
    rows.addDesign("search", job);
    List<Long> running = new ArrayList<>();
    for (int i = 0; i < 5; i++) {
      running.add(rows.enqueue("search", "search"));
    }
    try (Installation holdfast =
        Installation.on(database, directory)
            .with("HOLDFAST_WORKER_LEASE", "4s")
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s")) {
      HoldfastProcess other =
          holdfast.start("worker", "--port", "0", "--queue", "search").awaitConsole();
      for (long id : running) {
        job.awaitStart(id, 1);
      }
      List<CompletableFuture<HttpResponse<String>>> searches = new ArrayList<>();
      try (Connection locker = database.dataSource().getConnection();
          Statement lock = locker.createStatement()) {
        locker.setAutoCommit(false);
        // Every list looks at this table, and nothing that a worker does: so the searches take as
        // long as this test wants.
        lock.execute("LOCK TABLE holdfast.ticket_assignments IN ACCESS EXCLUSIVE MODE");
        for (int i = 0; i < 60; i++) {
          searches.add(other.sendGet("/api/v1/tickets?text=needle" + i));
        }
        await("a search waits for the lock").until(() -> !rows.value(WAITING_SEARCHES).equals("0"));
        // Three leases long.
        lock.execute("SELECT pg_sleep(12)");
        assertThat(other.status("/health/ready")).isEqualTo(200);
        assertThat(other.metric("holdfast_leases_expired_total")).isZero();
        locker.rollback();
      }
      assertThat(searches)
          .allSatisfy(search -> assertThat(search.join().statusCode()).isIn(200, 503));
      assertThat(searches)
          .anySatisfy(
              search -> assertThat(search.join().headers().firstValue("Retry-After")).isPresent());
      for (long id : running) {
        job.go(id, 1);
      }
      for (long id : running) {
        rows.awaitState(id, "done");
        assertThat(rows.outcomes(id)).containsExactly("succeeded");
      }
    }
  }

  private static final String WAITING_SEARCHES =
      "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname ="
          + " current_database()";
}
