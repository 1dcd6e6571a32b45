package dev.holdfast.web.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import dev.holdfast.Holdfast;
import dev.holdfast.postgres.engine.PostgresWorkflowSteps;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.Worker;
import dev.holdfast.workflow.WorkflowHandler;
import java.util.List;
import java.util.regex.Pattern;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("slow")
@WithDatabase
class WorkflowsBrowserIT extends ConsoleInBrowser {
  @Test
  @DisplayName("a workflow: its steps as a picture that follows them, and the replay from one")
  void workflow() {
    database.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('leaf', 1, 'leaf',"
            + " '{}'), ('graph', 1, 'workflow', '{\"steps\": {\"fetch\": {\"design\": \"leaf\"},"
            + " \"print\": {\"design\": \"leaf\", \"after\": [\"fetch\"]}}}')");
    try (Worker worker =
        Holdfast.worker(server.dataSource())
            .handler("leaf", context -> HandlerResult.done("1"))
            .handler(
                "workflow",
                new WorkflowHandler(
                    new PostgresWorkflowSteps(server.dataSource(), "holdfast"), 1000))
            .start()) {
      database.run("INSERT INTO holdfast.queues (name) VALUES ('graph')");
      database.run("SELECT holdfast.pause_queue('graph', 'ann')");
      long id =
          database.number("SELECT holdfast.enqueue_ticket(design => 'graph', queue => 'graph')");
      go("/tickets/" + id);
      assertThat(page.locator("svg.steps g.step.waiting")).hasCount(2);
      assertThat(page.locator("#replay")).hasCount(0);
      database.run("SELECT holdfast.resume_queue('graph', 'ann')");
      // It comes by itself: nobody loads the page again.
      assertThat(page.locator("svg.steps g.step.done")).hasCount(2);
      // What a form does is refused where the ticket has changed since it was shown.
      Awaitility.await().until(() -> database.state(id).equals("done"));
      go("/tickets/" + id);
      page.locator("#replay summary").click();
      page.locator("#from").selectOption("print");
      // What was chosen stays chosen, also where something else is looked at meanwhile.
      page.locator("#from").blur();
      database.run("SELECT holdfast.enqueue_ticket(kind => 'nobody', queue => 'graph')");
      assertThat(page.locator("#live-state")).containsText("Updates wait");
      button("Replay").click();
      assertThat(notice()).containsText(Pattern.compile("#\\d+ is worked again from print on"));
      long again = database.number("SELECT max(id) FROM holdfast.tickets WHERE kind = 'workflow'");
      go("/tickets/" + again);
      assertThat(page.locator("svg.steps g.step.done")).hasCount(2);
    }
  }

  @Test
  @DisplayName("schedules: the next ten times, run now, pause and resume")
  void schedules() {
    database.run(
        "SELECT holdfast.put_schedule('nightly', 'ann', cron => '0 3 * * *', kind => 'work')");
    go("/schedules");
    assertThat(page.locator("tr[data-row]")).containsText("0 3 * * * UTC");
    page.locator("summary").click();
    assertThat(page.locator("tr[data-row] li")).hasCount(10);
    button("Run now").click();
    assertThat(notice()).containsText("nightly has made ticket #");
    button("Pause").click();
    assertThat(notice()).containsText("nightly is paused.");
    assertThat(page.locator("tr[data-row]")).containsText("paused by");
    button("Resume").click();
    assertThat(notice()).containsText("nightly makes tickets again.");
    database.run("SELECT holdfast.delete_schedule('nightly', 'ann')");
  }

  @Test
  @DisplayName(
      "a release in steps begins at the inbox's group, is seen and stopped; a batch is held and"
          + " cancelled")
  void batches() {
    for (int i = 0; i < 4; i++) {
      tickets.hold("canary", "the disk of c is full");
    }
    go("/inbox");
    page.locator(".groups a:has-text('the disk of c is full')").click();
    page.locator("summary:has-text('Release in steps')").click();
    page.locator("#group-canary").fill("2");
    page.locator("#group-ramp").fill("1,none");
    button("Start").click();
    assertThat(notice()).containsText("\"none\" is no step");
    page.goBack();
    assertThat(page.locator("#group-canary")).hasValue("2");
    page.locator("#group-ramp").fill("1,all");
    page.locator("#group-guidance").fill("there is room now");
    button("Start").click();
    assertThat(notice()).containsText("step 1 of 3: released 2 of 4, 2 wait");
    assertThat(page.locator("tr:has-text('2, 1, all')")).containsText("there is room now");
    // A worker writes it, and no event tells of it; the first may be seen by chance.
    for (String reason : List.of("tried again soon", "tried once more")) {
      database.run("UPDATE holdfast.releases SET reason = ?", reason);
      assertThat(page.locator("tr:has-text('2, 1, all')")).containsText(reason);
    }
    button("Stop").click();
    assertThat(notice()).containsText("stopped: released 2 of 4");

    database.run(
        "SELECT holdfast.enqueue_batch('[{\"kind\": \"idle\"}, {\"kind\": \"idle\"}]', 'ann',"
            + " 'two')");
    go("/batches");
    assertThat(page.locator("tr:has-text('two')")).containsText("0 of 2");
    button("Hold").click();
    assertThat(notice()).containsText("Held 2 tickets of batch");
    button("Cancel").click();
    assertThat(notice()).containsText("Cancelled 2 tickets of batch");
  }
}
