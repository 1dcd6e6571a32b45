package dev.holdfast.app;

import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.toolCall;
import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.ModelBehaviour;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What several workers know together; the model server's own log is the witness. */
@WithDatabase
@Timeout(90)
class SharedCooldownIT {
  private static final String TARGET = "targets: [{provider: openai, model: gpt-a}]\n";
  private static final ModelBehaviour DONE = toolCall("agent__final_report", Fleet.REPORT);

  private final TestDatabase database;
  private final ModelServer models = ModelServer.start();
  private Fleet fleet;
  @TempDir private Path directory;

  SharedCooldownIT(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void prepare() {
    fleet = new Fleet(database, models, directory);
    for (String table : List.of("provider_cooldowns", "budgets", "budget_reservations")) {
      fleet.tickets.run("DELETE FROM holdfast." + table);
    }
  }

  @AfterEach
  void stop() {
    fleet.close();
    models.close();
  }

  private List<ModelRequest> requestsBetween(long fromNanos, long toNanos) {
    return models.requests().stream()
        .filter(each -> each.atNanos() > fromNanos && each.atNanos() < toNanos)
        .toList();
  }

  @Test
  @DisplayName(
      "A24, issue 5.2: four workers and one 429 with Retry-After: no request to that account before"
          + " it is over, one tries, the starts after it are spread, no retry is used")
  void oneRateLimit() {
    long window = Duration.ofSeconds(3).toNanos();
    CountDownLatch limited = new CountDownLatch(1);
    AtomicLong saidAt = new AtomicLong();
    AtomicInteger first = new AtomicInteger();
    models.always(
        choose(
            request -> {
              if (request.assistantMessages() > 0 || limited.getCount() == 0) {
                return DONE;
              }
              if (first.incrementAndGet() < 4) {
                // Three others are on their way when the fourth is told to wait.
                return ModelBehaviour.hangUntil(limited, toolCall("list_files", "{}"));
              }
              saidAt.set(System.nanoTime());
              limited.countDown();
              return error(429, "rate_limit_exceeded", "slow down", Map.of("retry-after", "3"));
            }));
    fleet.with("WORKER_CONCURRENCY", "1").start(4);
    List<Long> ids = fleet.enqueue("four", TARGET + "tools: [list_files]\n", 12);
    fleet.awaitAll(ids, "done");

    long told = saidAt.get() + Duration.ofMillis(700).toNanos();
    assertThat(requestsBetween(told, saidAt.get() + window)).isEmpty();
    List<ModelRequest> after = requestsBetween(saidAt.get() + window, Long.MAX_VALUE);
    assertThat(after.getLast().atNanos() - after.getFirst().atNanos())
        .as("the starts after it")
        .isGreaterThan(Duration.ofMillis(100).toNanos());
    assertThat(
            fleet.tickets.number(
                "SELECT sum(retry_count) FROM holdfast.tickets WHERE id = ANY (?)",
                (Object) ids.toArray(Long[]::new)))
        .isZero();
    assertThat(
            fleet.tickets.number(
                "SELECT count(*) FROM holdfast.ticket_attempts WHERE outcome = 'failed' AND"
                    + " ticket_id = ANY (?)",
                (Object) ids.toArray(Long[]::new)))
        .isZero();
    assertThat(fleet.tickets.number("SELECT count(*) FROM holdfast.provider_cooldowns")).isZero();
  }

  @Test
  @DisplayName(
      "issue 5.2: an outage of many cool-downs holds nothing and loses nothing, and one 503 after"
          + " another is no product of the layers")
  void outage() {
    AtomicBoolean out = new AtomicBoolean(true);
    models.always(choose(request -> out.get() ? error(503, "server_error", "unavailable") : DONE));
    fleet
        .with("COOLDOWN_BASE_DELAY", "100ms")
        .with("COOLDOWN_MAX_DELAY", "300ms")
        .with("COOLDOWN_WAIT_IN_SESSION", "0s")
        .with("COOLDOWN_SPREAD", "0")
        .start(3);
    List<Long> ids = fleet.enqueue("outage", TARGET, 6);
    org.awaitility.Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                Integer.parseInt(
                        fleet.tickets.value(
                            "SELECT COALESCE(max(rounds), 0) FROM holdfast.provider_cooldowns"))
                    >= 12);
    assertThat(
            fleet.tickets.column(
                "SELECT DISTINCT state FROM holdfast.tickets WHERE id = ANY (?) AND state <>"
                    + " 'in_progress'",
                (Object) ids.toArray(Long[]::new)))
        .isSubsetOf("ready");
    int requests = models.requests().size();
    assertThat(requests)
        .as("3 make the outage, in flight ones, then one per cool-down")
        .isLessThan(60);
    out.set(false);
    fleet.awaitAll(ids, "done");
    assertThat(
            fleet.tickets.number(
                "SELECT sum(retry_count) FROM holdfast.tickets WHERE id = ANY (?)",
                (Object) ids.toArray(Long[]::new)))
        .isZero();
  }

  @Test
  @DisplayName(
      "issue 5.2: a dead key is called once, the next key is taken at once; with none left its"
          + " tickets are held with one notice, and one command lets all of them go")
  void deadKey() {
    AtomicBoolean dead = new AtomicBoolean(true);
    models.always(
        choose(
            request ->
                dead.get() && !request.key().equals("sk-third")
                    ? error(401, "invalid_api_key", "Incorrect API key provided")
                    : DONE));
    fleet.with("PROVIDERS_OPENAI_API_KEYS", "sk-second").with("WORKER_CONCURRENCY", "1").start(2);
    List<Long> first = fleet.enqueue("dead", TARGET, 1);
    fleet.awaitAll(first, "on_hold");
    assertThat(models.requests())
        .extracting(ModelRequest::key)
        .containsExactly("sk-first", "sk-second");
    List<Long> others = fleet.enqueue("dead", TARGET, 8);
    fleet.awaitAll(others, "on_hold");

    assertThat(models.requests()).as("nothing more was sent").hasSize(2);
    assertThat(fleet.tickets.ticket(others.getFirst()).get("hold_reason"))
        .startsWith("account_unavailable: openai key ")
        .contains("holdfast providers mend openai")
        .doesNotContain("sk-");
    assertThat(
            fleet.tickets.number(
                "SELECT count(*) FROM holdfast.ticket_activity WHERE action ="
                    + " 'provider_unavailable'"))
        .as("one notice for each key")
        .isEqualTo(2);
    assertThat(
            fleet.tickets.number(
                "SELECT count(*) FROM holdfast.ticket_activity a JOIN holdfast.workers w ON w.id ="
                    + " a.details->>'workerId' WHERE a.action = 'provider_unavailable'"))
        .as("each names its worker")
        .isEqualTo(2);
    dead.set(false);
    dev.holdfast.cli.Cli.Result mended =
        dev.holdfast.cli.Cli.on(database).run("providers", "mend", "openai", "--by", "ann");
    assertThat(mended.out()).contains("released 9 held tickets");
    fleet.awaitAll(first, "done");
    fleet.awaitAll(others, "done");
    assertThat(dev.holdfast.cli.Cli.on(database).run("providers", "mend", "openai").code())
        .isEqualTo(3);
  }

  @Test
  @DisplayName(
      "issue 5.3: over the day's budget tickets are held and say so; raising it releases them, and"
          + " the ticket's own limit bounds its session")
  void budget() {
    models.always(DONE);
    // A call costs at least 0.3 at worst: 300 tokens at 1000 USD per million.
    fleet.with("BUDGETS_PER_DAY", "0.2").start(2);
    String small = TARGET + "limits: {max_output_tokens: 300}\n";
    List<Long> ids = fleet.enqueue("costly", small, 5);
    fleet.awaitAll(ids, "on_hold");
    assertThat(models.requests()).isEmpty();
    assertThat(fleet.tickets.ticket(ids.getFirst()).get("hold_reason"))
        .startsWith("budget_exceeded: budget day: 0 USD spent of 0.2")
        .contains("holdfast budgets raise day --to USD");

    dev.holdfast.cli.Cli cli = dev.holdfast.cli.Cli.on(database);
    assertThat(cli.run("budgets", "raise", "day", "--to", "-1").code()).isEqualTo(2);
    assertThat(cli.run("budgets", "raise", "day", "--to", "100").out()).contains("released 5");
    fleet.awaitAll(ids, "done");
    assertThat(cli.run("budgets", "--json").json().path(0).path("spent_usd").asDouble())
        .isPositive();

    long own =
        Long.parseLong(
            cli.run("enqueue", "--design", "costly", "--payload", "{}", "--max-cost", "0.1")
                .out()
                .strip());
    fleet.awaitAll(List.of(own), "on_hold");
    assertThat(fleet.tickets.ticket(own).get("hold_reason"))
        .startsWith("budget_exceeded: ticket:" + own + ": 0 USD spent of 0.1")
        .contains("holdfast budgets raise ticket:" + own);
    cli.run("budgets", "raise", "ticket:" + own, "--to", "50");
    fleet.awaitAll(List.of(own), "done");
  }
}
