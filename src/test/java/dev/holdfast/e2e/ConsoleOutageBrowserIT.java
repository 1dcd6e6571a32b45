package dev.holdfast.e2e;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;
import static dev.holdfast.e2e.TicketRows.await;
import static org.assertj.core.api.Assertions.assertThat;

import com.microsoft.playwright.Locator;
import com.microsoft.playwright.Page;
import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.web.console.Browsers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * What a person does at a worker's console, while its database and itself go away and come back.
 */
@Tag("slow")
@Timeout(400)
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ConsoleOutageBrowserIT {
  private static final int TICKETS = 20;

  /** Fails while the file "fixed" is missing; then waits until its ticket may go. */
  private static final String SCRIPT =
      """
      [ -e fixed ] || { echo "FileNotFoundError: prices.csv" >&2; exit 1; }
      while [ ! -e go.$HOLDFAST_TICKET_ID ] && [ -e fixed ]; do sleep 0.5; done
      echo $HOLDFAST_TICKET_ID >> worked
      """;

  private Path directory;
  private Installation holdfast;
  private OwnServer server;
  private HikariDataSource pool;
  private TicketRows rows;
  private Browsers browsers;
  private @Nullable HoldfastProcess worker;
  private Page page;

  @BeforeAll
  void start(@TempDir Path given) throws IOException {
    directory = given;
    browsers = Browsers.start();
    server = OwnServer.start(directory);
    pool = new TicketDatabase(server.dataSource()).pool(1);
    rows = new TicketRows(pool);
    holdfast =
        server
            .install(directory)
            .with("HOLDFAST_RETRY_CATEGORIES_SYSTEM_ERROR_MAX_RETRIES", "0")
            .with("HOLDFAST_RETRY_CATEGORIES_CODE_ERROR_MAX_RETRIES", "0")
            .with("HOLDFAST_RETRY_CATEGORIES_UNKNOWN_MAX_RETRIES", "0")
            .with("HOLDFAST_WORKER_LEASE", "12s")
            .with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "1s")
            .with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms");
  }

  @AfterAll
  void stop() {
    holdfast.close();
    pool.close();
    server.close();
    browsers.close();
  }

  @BeforeEach
  void newPage() {
    page = browsers.page();
  }

  /** A page that stays open goes on asking for news. */
  @AfterEach
  void closePage() {
    page.context().close();
  }

  /** The one that runs, or a new one. */
  private HoldfastProcess worker() throws Exception {
    if (worker == null || !worker.isAlive()) {
      worker =
          holdfast
              .start("worker", "--port", "0", "--concurrency", Integer.toString(TICKETS))
              .awaitConsole();
    }
    return worker;
  }

  /** By the link that logs in first. */
  private void go(HoldfastProcess worker, String path) throws Exception {
    String token = Files.readString(directory.resolve(".holdfast/token")).strip();
    page.navigate(worker.address() + "/login?token=" + token + "&next=" + path);
  }

  private Locator button(String name) {
    return page.locator("button", new Page.LocatorOptions().setHasText(name)).first();
  }

  /** The tickets to be released that are in a state. */
  private List<String> prices(String state) {
    return rows.column(
        "SELECT t.id FROM holdfast.tickets t JOIN holdfast.designs d ON d.id = t.design_id WHERE"
            + " d.name = 'price' AND t.state = ?",
        state);
  }

  private List<String> running() {
    return prices("in_progress");
  }

  /** Lets these tickets succeed. */
  private void letGo(List<String> ids) throws IOException {
    for (String id : ids) {
      Files.createFile(directory.resolve("go." + id));
    }
  }

  private void awaitRunning(int count) {
    await(count + " run").until(() -> running().size() == count);
  }

  @Test
  @DisplayName(
      "issue 23: a release in steps that begins in the console goes on over a restart of its"
          + " database in the middle of the ramp and kill -9 of its worker, each ticket released"
          + " once, and the page that shows it follows by itself")
  void release() throws Exception {
    rows.addDesign("price", Job.of(directory, SCRIPT));
    for (int i = 0; i < TICKETS; i++) {
      rows.enqueue("price", "default");
    }
    HoldfastProcess first = worker();
    await("all are on hold").until(() -> prices("on_hold").size() == TICKETS);
    Files.createFile(directory.resolve("fixed"));

    go(first, "/inbox");
    page.locator(".groups a:has-text('FileNotFoundError')").click();
    page.locator("summary:has-text('Release in steps')").click();
    page.locator("#group-canary").fill("3");
    page.locator("#group-ramp").fill("5,all");
    button("Start").click();
    Locator progress = page.locator("tr:has-text('3, 5, all')");
    assertThat(progress).containsText("step 1 of 3: released 3 of 20, 3 wait");
    awaitRunning(3);
    letGo(running());
    assertThat(progress).containsText("step 2 of 3: released 8 of 20, 3 came through, 5 wait");
    awaitRunning(5);
    List<String> ramp = running();

    server.close();
    await("the worker notices").until(() -> first.status("/health/ready") == 503);
    // They end while nobody can be told.
    letGo(ramp);
    await("their programs have ended")
        .until(() -> Files.readAllLines(directory.resolve("worked")).size() == 8);
    server.startAgain();

    assertThat(progress).containsText("step 3 of 3: released 20 of 20, 8 came through, 12 wait");
    awaitRunning(12);
    List<String> rest = running();

    first.signal("KILL");
    first.awaitExit(Duration.ofSeconds(20));
    HoldfastProcess other = worker();
    go(other, "/batches");
    assertThat(progress).containsText("step 3 of 3: released 20 of 20, 8 came through, 12 wait");
    letGo(rest);
    assertThat(progress).containsText("completed: released 20 of 20, 20 came through");

    assertThat(
            rows.column(
                "SELECT count(*) FROM holdfast.release_tickets GROUP BY step ORDER BY step"))
        .containsExactly("3", "5", "12");
    assertThat(
            rows.column(
                "SELECT count(*) FROM holdfast.ticket_activity WHERE action = 'released' GROUP BY"
                    + " ticket_id"))
        .hasSize(TICKETS)
        .containsOnly("1");
    assertThat(prices("done")).hasSize(TICKETS);
  }

  @Test
  @DisplayName(
      "issue 23: a person answers the step of a workflow in the console, by its form, and the"
          + " picture shows the steps that follow")
  void human() throws Exception {
    rows.addDesign("publish", Job.of(directory, "echo '{\"published\": true}'"));
    Files.writeString(
        directory.resolve("news.yaml"),
        """
        kind: workflow
        steps:
          approve: {kind: human, ask: "Publish it?",
                    form: {type: object, required: [ok], properties: {ok: {type: boolean}}}}
          publish: {design: publish, after: [approve], when: "results.approve.ok"}
          regret:  {design: publish, after: [approve], when: "!results.approve.ok"}
        """);
    holdfast.ok("design", "put", "news", "--file", "news.yaml");
    HoldfastProcess running = worker();
    long id = rows.enqueue("news", "default");
    go(running, "/tickets/" + id);
    assertThat(page.locator("svg.steps g.step.on_hold")).hasCount(1);
    page.locator("svg.steps a:has-text('approve')").click();
    assertThat(page.locator("#question")).containsText("Publish it?");
    page.locator("#answer-form label:has-text('ok')").click();
    button("Answer").click();
    go(running, "/tickets/" + id);
    assertThat(page.locator("svg.steps g.step.done")).hasCount(2);
    assertThat(page.locator("svg.steps g.step.skipped")).hasCount(1);
    rows.awaitState(id, "done");
    assertThat(rows.of(id, "result"))
        .isEqualTo("{\"approve\": {\"ok\": true}, \"publish\": {\"published\": true}}");
  }
}
