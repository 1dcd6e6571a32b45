package dev.holdfast.web.console;

import static com.microsoft.playwright.assertions.PlaywrightAssertions.assertThat;

import com.microsoft.playwright.Locator;
import dev.holdfast.schema.Question;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.WithDatabase;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What somebody ticked or wrote on a page that is made anew, with other tickets on it. */
@Tag("slow")
@WithDatabase
class StaleFormsBrowserIT extends ConsoleInBrowser {
  @BeforeEach
  void nobodyWaits() {
    database.run(
        "SELECT holdfast.cancel_ticket(id, 'ann') FROM holdfast.tickets"
            + " WHERE state NOT IN ('done', 'cancelled')");
  }

  /** A page that renews itself would take what is pressed away. */
  private void goQuietly(String path) {
    page.route("**/api/v1/events*", each -> each.abort());
    go(path);
  }

  private Locator box(long id) {
    return page.locator("input[name=id][value^='" + id + "@']");
  }

  @ParameterizedTest
  @ValueSource(strings = {"/tickets?state=on_hold", "/tickets?state=needs_review", "/review"})
  @DisplayName("22.2: who comes back to a list finds no other ticket ticked than they had ticked")
  void backToList(String path) {
    List<Long> ids =
        !path.endsWith("on_hold")
            ? List.of(tickets.review("back", "1"), tickets.review("back", "2"))
            : tickets.hold(2, "back", "the disk of b is full");
    goQuietly(path);
    box(ids.getFirst()).check();
    page.locator("[data-row] a").first().click();
    assertThat(page).hasTitle("#" + ids.getLast() + " · Holdfast");
    if (!path.endsWith("on_hold")) {
      tickets.review("back", "3");
    } else {
      tickets.hold("back", "the disk of b is full");
    }
    page.goBack();
    assertThat(page.locator("input[name=id]")).hasCount(3);
    assertThat(box(ids.getLast())).not().isChecked();
  }

  @Test
  @DisplayName("22.2: what was written into a form is still there when another form was sent")
  void otherForm() {
    long first = tickets.review("first", "1");
    long second = tickets.review("second", "2");
    goQuietly("/review");
    page.locator("#feedback-" + first).fill("ten minutes of words");
    box(first).check();
    page.locator("#review-" + second + " button[value=approve]").click();
    assertThat(notice()).containsText("Approved #" + second);
    assertThat(page.locator("#feedback-" + first)).hasValue("ten minutes of words");
    assertThat(box(first)).isChecked();
    page.locator("#review-" + first + " button[value=reject]").click();
    assertThat(notice()).containsText("Rejected #" + first);

    long held = tickets.hold("held", "the disk of o is full");
    go("/tickets/" + held);
    page.locator("#guidance").fill("there is room");
    button("Assign").click();
    assertThat(notice()).containsText("looks after #" + held);
    assertThat(page.locator("#guidance")).hasValue("there is room");
    button("Release").first().click();
    assertThat(notice()).containsText("Released #" + held + " with your guidance");
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'again')", held);
    go("/tickets/" + held);
    assertThat(page.locator("#guidance")).hasValue("");
  }

  @Test
  @DisplayName(
      "22.4: what was written for a release in steps of a batch that is refused is there again for"
          + " that batch, and no other")
  void otherBatch() {
    for (String title : List.of("older", "newer")) {
      database.run("SELECT holdfast.enqueue_batch('[{\"kind\": \"idle\"}]', 'ann', ?)", title);
    }
    database.run(
        "SELECT holdfast.hold_ticket(id, 'ann', 'why') FROM holdfast.tickets WHERE state ="
            + " 'ready'");
    goQuietly("/batches");
    Locator older = page.locator("tr:has-text('older')");
    older.locator("summary").click();
    older.locator("[name=ramp]").fill("1,none");
    older.locator("[name=guidance]").fill("for the older one");
    older.locator("button:has-text('Start')").click();
    assertThat(notice()).containsText("\"none\" is no step");
    assertThat(page.locator("tr:has-text('newer') [name=guidance]")).hasValue("");
    assertThat(older.locator("[name=guidance]")).hasValue("for the older one");
  }

  @Test
  @DisplayName("22.8: a page waits with renewing itself while a box is held down")
  void boxHeldDown() {
    long id = tickets.hold("pressed", "the disk of p is full");
    go("/tickets?state=on_hold");
    assertThat(page.locator("#live-state")).hasText("Live.");
    box(id).hover();
    page.mouse().down();
    tickets.hold("pressed", "the disk of p is full");
    assertThat(page.locator("#live-state")).hasText("Updates wait until you have finished.");
    page.mouse().up();
    assertThat(box(id)).isChecked();
  }

  @Test
  @DisplayName("22.2: what was ticked for one question is not ticked for the next one")
  void otherQuestion() {
    TestQueue queue = TestQueue.on(database);
    long id = queue.ask(Question.of("which colour?", List.of("red", "blue")));
    goQuietly("/tickets/" + id);
    page.locator("input[name=choice][value='1']").check();
    database.run("SELECT holdfast.answer_ticket(?, 'bob', '\"red\"')", id);
    queue.ask(id, queue.claim(), Question.of("what next?", List.of("wait", "delete it all")));
    page.locator("#answer-form button").click();
    assertThat(page.locator("#question")).containsText("what next?");
    assertThat(page.locator("input[name=choice][value='1']")).not().isChecked();
  }
}
