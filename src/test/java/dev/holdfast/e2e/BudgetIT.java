package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.testing.ModelReply;
import dev.holdfast.testing.RawModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** A budget that real workers use up, and who is told of it. */
@Tag("slow")
@WithDatabase
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Timeout(180)
class BudgetIT {
  private static final String REPORT = "{\"status\": \"success\", \"content\": \"done\"}";
  private static final String NEARLY = "dev.holdfast.budget.nearly_used_up";
  private static final String USED_UP = "dev.holdfast.budget.used_up";
  private static final String PRICES = "[{model: m, input: 0, output: 20000}]";

  /** Of which each costs 0.02 USD: 4 USD an answer, and 5.12 USD at worst. */
  private static final Usage USAGE = new Usage(10, 0, 0, 200);

  private static final String DESIGN =
      "{\"kind\": \"agent\", \"review\": \"none\", \"limits\": {\"max_output_tokens\": 256},"
          + " \"targets\": [{\"provider\": \"openai\", \"model\": \"m\"}]}";

  private static final String NOTED =
      "SELECT activity_id FROM holdfast.webhook_cursors WHERE name = 'noted:budget:day'";

  private static final String TOLD =
      "SELECT EXISTS (SELECT FROM holdfast.webhook_cursors WHERE name NOT LIKE 'noted:%' AND"
          + " activity_id >= ?)::text";

  private TicketRows rows;
  @AutoClose private final NoticeReceiver receiver;
  @AutoClose private Installation holdfast;
  private HoldfastProcess first;

  @AutoClose
  private final RawModelServer models =
      RawModelServer.start(
          (request, to) ->
              RawModelServer.stream(
                  to,
                  request,
                  ModelReply.calls(new ToolCall("call_1", "agent__final_report", REPORT))
                      .withUsage(USAGE),
                  99));

  BudgetIT() throws IOException {
    receiver = new NoticeReceiver();
  }

  @BeforeAll
  void start(TestDatabase database, @TempDir Path directory) throws Exception {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", "sk-key")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.url() + "/v1")
            .with("HOLDFAST_PROVIDERS_OPENAI_PRICES", PRICES)
            .with("HOLDFAST_BUDGETS_PER_DAY", "10")
            .with("HOLDFAST_WEBHOOKS_URL", receiver.url())
            .with("HOLDFAST_WEBHOOKS_GROUP_WAIT", "100ms")
            .with("HOLDFAST_WEBHOOKS_SECRET", "a-secret-of-the-webhook")
            .with("HOLDFAST_WEBHOOKS_CONSOLE_URL", "https://holdfast.example");
    rows.column("SELECT holdfast.configure_budget('design:gone', 'day', 3, 'an earlier worker')");
    first = holdfast.worker();
  }

  @Test
  @DisplayName(
      "22.9: the webhook tells once that a budget is nearly used up, and once that it is, however"
          + " many tickets it holds, also where the receiver was away and the worker died")
  void told() throws Exception {
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('ask', 1, 'agent',"
            + " ?::jsonb)",
        DESIGN);
    rows.awaitState(rows.enqueue("ask", "a"), "done");
    rows.awaitState(rows.enqueue("ask", "b"), "done");
    JsonNode nearly = taken(NEARLY);
    assertThat(nearly.path("text").asString())
        .isEqualTo(
            "The budget day is nearly used up: 8 of 10 USD are spent"
                + " https://holdfast.example/providers");
    // Open transactions of other tests' databases hold the cursor back, too.
    long activity = Long.parseLong(nearly.path("id").asString().substring("budget-".length()));
    TicketRows.await("it is kept that this was told")
        .until(() -> rows.value(TOLD, activity), "true"::equals);

    receiver.answer(500);
    List<Long> held =
        LongStream.rangeClosed(1, 3).map(n -> rows.enqueue("ask", "c")).boxed().toList();
    held.forEach(id -> rows.awaitState(id, "on_hold"));
    TicketRows.await("it is there to be told")
        .until(() -> rows.column(NOTED), List.of("2")::equals);
    TicketRows.await("the receiver has refused twice")
        .until(
            () -> receiver.deliveries().stream().filter(each -> each.status() == 500).count() > 1);
    first.signal("KILL");
    first.awaitExit(Duration.ofSeconds(20));
    rows.column("UPDATE holdfast.webhook_cursors SET held_until = now() WHERE held_by IS NOT NULL");
    receiver.answer(204);
    holdfast.worker();
    JsonNode usedUp = taken(USED_UP);
    assertThat(usedUp.path("subject").asString()).isEqualTo("day");
    assertThat(usedUp.path("text").asString())
        .isEqualTo(
            "The budget day is used up: 8 of 10 USD are spent, and what needs more waits; raise it:"
                + " holdfast budgets raise day --to USD https://holdfast.example/providers");
    assertThat(usedUp.at("/data/limit_usd").asInt()).isEqualTo(10);
    assertThat(usedUp.at("/data/spent_usd").asInt()).isEqualTo(8);
    TicketRows.await("the holds are told, too")
        .until(() -> of("dev.holdfast.tickets.held", 204).count() == 1);
    assertThat(of("dev.holdfast.tickets.held", 204).findFirst().orElseThrow().path("text"))
        .asString()
        .containsOnlyOnce("8 USD spent of 10");

    rows.awaitState(rows.enqueue("ask", "d"), "on_hold");
    TicketRows.await("a later hold is told")
        .until(() -> of("dev.holdfast.ticket.held", 204).count() == 1);
    assertThat(holdfast.ok("budgets", "raise", "day", "--to", "100")).contains("released 4");
    held.forEach(id -> rows.awaitState(id, "done"));
    TicketRows.await("there is room, so that it would be told again")
        .until(() -> rows.column(NOTED), List.of("0")::equals);
    assertThat(of(NEARLY, 204)).hasSize(1);
    assertThat(of(USED_UP, 204)).hasSize(1);
  }

  @Test
  @DisplayName("a worker that starts names the budgets that only an earlier configuration has set")
  void leftBehind() {
    assertThat(first.stderr())
        .contains("holdfast budgets remove design:gone")
        .doesNotContain("holdfast budgets remove day");
  }

  private JsonNode taken(String type) {
    return TicketRows.await(type + " is told")
        .until(() -> of(type, 204).findFirst(), each -> each.isPresent())
        .orElseThrow();
  }

  private Stream<JsonNode> of(String type, int answer) {
    return receiver.deliveries().stream()
        .filter(each -> each.status() == answer)
        .map(each -> JsonMapper.shared().readTree(each.body()))
        .filter(event -> event.path("type").asString().equals(type));
  }
}
