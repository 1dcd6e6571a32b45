package dev.holdfast.app;

import static dev.holdfast.testing.ModelBehaviour.choose;
import static dev.holdfast.testing.ModelBehaviour.error;
import static dev.holdfast.testing.ModelBehaviour.errorInStream;
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
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What a failing provider leads to in a whole worker with its usual cool-downs. */
@WithDatabase
@Timeout(120)
class RetriesComposeIT {
  private static final String ONE = "targets: [{provider: openai, model: gpt-a}]\n";
  private static final String TWO =
      "targets: [{provider: openai, model: gpt-a}, {provider: my-claude, model: claude-b}]\n";
  private static final ModelBehaviour DONE = toolCall("agent__final_report", Fleet.REPORT);

  private final TestDatabase database;
  private final ModelServer models = ModelServer.start();
  private Fleet fleet;
  @TempDir private Path directory;

  RetriesComposeIT(TestDatabase database) {
    this.database = database;
  }

  @BeforeEach
  void prepare() {
    fleet =
        new Fleet(database, models, directory)
            .with("PROVIDERS_MY_CLAUDE_TYPE", "anthropic")
            .with("PROVIDERS_MY_CLAUDE_BASE_URL", models.anthropicUrl())
            .with("PROVIDERS_MY_CLAUDE_API_KEY", "sk-claude");
    fleet.tickets.run("DELETE FROM holdfast.provider_cooldowns");
  }

  @AfterEach
  void stop() {
    fleet.close();
    models.close();
  }

  private long work(String design, String lines) {
    fleet.start(1);
    return fleet.enqueue(design, lines, 1).getFirst();
  }

  private List<String> asked() {
    return models.requests().stream().map(ModelRequest::model).toList();
  }

  private Duration between(int first, int second) {
    List<ModelRequest> all = models.requests();
    return Duration.ofNanos(all.get(second).atNanos() - all.get(first).atNanos());
  }

  private String of(long id, String column) {
    return fleet.tickets.value(
        "SELECT COALESCE((" + column + ")::text, '') FROM holdfast.tickets WHERE id = ?", id);
  }

  private String awaitDeferral(long id) {
    Awaitility.await()
        .atMost(Duration.ofSeconds(40))
        .until(() -> fleet.tickets.outcomes(id).contains("deferred"));
    return fleet.tickets.value(
        "SELECT extract(epoch FROM retry_after - now())::bigint::text FROM holdfast.tickets WHERE"
            + " id = ?",
        id);
  }

  @ParameterizedTest
  @CsvSource({
    "429, insufficient_quota, EXIT-QUOTA-EXCEEDED",
    "402, payment_required, EXIT-QUOTA-EXCEEDED",
    "401, invalid_api_key, EXIT-AUTH-FAILURE",
    "403, permission_error, EXIT-AUTH-FAILURE"
  })
  @DisplayName(
      "T4, T5, B11, B12: a refused key and a used-up account are called once and wait for a person,"
          + " whatever the rate-limit headers beside them say; mend lets all of them go")
  void deadAccount(int status, String code, String exit) {
    Map<String, String> rates =
        Map.of(
            "Retry-After", "1",
            "x-ratelimit-remaining-tokens", "0",
            "x-ratelimit-reset-tokens", "6m0s");
    models.always(error(status, code, "it is over", rates));
    long id = work("dead-" + code, ONE);
    fleet.awaitAll(List.of(id), "on_hold");

    assertThat(models.requests()).hasSize(1);
    assertThat(of(id, "hold_reason")).startsWith("account_unavailable: openai key ");
    assertThat(of(id, "error"))
        .matches("(?s)The (provider does not take|money or the quota).*The session has cost .*")
        .contains("holdfast providers mend")
        .endsWith("\nExit code: " + exit);
    assertThat(of(id, "retry_count")).isEqualTo("0");
    assertThat(
            fleet.tickets.value(
                "SELECT details->>'holdCause' FROM holdfast.ticket_activity WHERE ticket_id = ? AND"
                    + " details->>'holdCause' IS NOT NULL",
                id))
        .isEqualTo("account_unavailable");
    models.always(DONE);
    dev.holdfast.cli.Cli.on(database).run("providers", "mend", "openai", "--by", "ann");
    fleet.awaitAll(List.of(id), "done");
  }

  @Test
  @DisplayName(
      "B11, B12, D14: each key is called once, then the next target, and all of it uses up no try")
  void otherTargets() {
    models.always(
        choose(
            request ->
                switch (request.key()) {
                  case "sk-first" -> error(401, "invalid_api_key", "no");
                  case "sk-second" -> error(429, "insufficient_quota", "no");
                  default -> DONE;
                }));
    fleet.with("PROVIDERS_OPENAI_API_KEYS", "sk-second");
    long id = work("others", TWO + "limits: {max_retries: 1}\n");
    fleet.awaitAll(List.of(id), "done");

    assertThat(models.requests().stream().map(ModelRequest::key))
        .containsExactly("sk-first", "sk-second", "sk-claude");
    assertThat(fleet.tickets.outcomes(id)).containsExactly("succeeded");
  }

  @Test
  @DisplayName(
      "B26, B27, B29-B33, B39: a rate limit asks the next open target at once; with none open the"
          + " session waits for the first that opens, and uses up no retry")
  void rateLimits() {
    models.nextFor(
        "gpt-a", error(429, "rate_limit_error", "slow down", Map.of("Retry-After", "4")));
    models.nextFor(
        "claude-b", error(429, "rate_limit_error", "slow down", Map.of("Retry-After", "30")));
    models.always(DONE);
    long id = work("limited", TWO);
    fleet.awaitAll(List.of(id), "done");

    assertThat(asked()).containsExactly("gpt-a", "claude-b", "gpt-a");
    assertThat(between(0, 1)).isLessThan(Duration.ofSeconds(4));
    assertThat(between(0, 2)).isBetween(Duration.ofSeconds(4), Duration.ofSeconds(20));
    assertThat(fleet.tickets.outcomes(id)).containsExactly("succeeded");
  }

  @ParameterizedTest
  @CsvSource({"retry-after-ms, 900", "retry-after-ms, 5", "Retry-After, 0"})
  @DisplayName("B26: a cool-down shorter than a second is waited for a second")
  void shortest(String header, String value) {
    models.nextFor("gpt-a", error(429, "rate_limit_error", "no", Map.of(header, value)));
    models.always(DONE);
    long id = work("short", ONE);
    fleet.awaitAll(List.of(id), "done");

    assertThat(asked()).hasSize(2);
    assertThat(between(0, 1)).isGreaterThanOrEqualTo(Duration.ofSeconds(1));
    assertThat(fleet.tickets.outcomes(id)).containsExactly("succeeded");
  }

  @Test
  @DisplayName("B27, issue 19: a hint of a year is believed for cooldown.max-hint, and defers")
  void year() {
    models.always(error(429, "rate_limit_error", "no", Map.of("Retry-After", "31536000")));
    long id = work("year", ONE);

    assertThat(Integer.parseInt(awaitDeferral(id))).isBetween(3500, 3600 * 12 / 10);
    assertThat(models.requests()).hasSize(1);
    assertThat(of(id, "retry_count")).isEqualTo("0");
  }

  @Test
  @DisplayName(
      "B17, issue 19: an overload told inside the stream of a 200 closes the provider as a 529"
          + " does; the next target is asked at once")
  void overloadInStream() {
    models.nextFor("gpt-a", errorInStream(1, "overloaded_error", "Overloaded"));
    models.always(DONE);
    long id = work("stream", TWO);
    fleet.awaitAll(List.of(id), "done");

    assertThat(asked()).containsExactly("gpt-a", "claude-b");
    assertThat(
            fleet.tickets.value(
                "SELECT reason || key_id FROM holdfast.provider_cooldowns WHERE provider ="
                    + " 'openai'"))
        .isEqualTo("overloaded");
  }

  @Test
  @DisplayName(
      "D14, D15: a usage limit rests the key for all workers; the next key goes on at once")
  void usageLimit() {
    models.always(
        choose(
            request ->
                request.key().equals("sk-first")
                    ? error(429, "usage_limit_reached", "usage limit reached", Map.of())
                    : DONE));
    fleet.with("PROVIDERS_OPENAI_API_KEYS", "sk-second").with("COOLDOWN_SCOPE", "model");
    long id = work("usage", ONE);
    fleet.awaitAll(List.of(id), "done");

    assertThat(models.requests()).hasSize(2);
    assertThat(between(0, 1)).isLessThan(Duration.ofSeconds(4));
    assertThat(
            fleet.tickets.column(
                "SELECT reason || ' ' || model FROM holdfast.provider_cooldowns WHERE key_id <>"
                    + " ''"))
        .containsExactly("usage_limit ");
  }

  @Test
  @DisplayName(
      "B56, issue 19: an outage is told once for all workers; a ticket that is put off for too long"
          + " is held, and released by itself when the provider answers again")
  void outage() {
    models.always(error(503, "server_error", "unavailable"));
    fleet
        .with("COOLDOWN_BASE_DELAY", "300ms")
        .with("COOLDOWN_MAX_DELAY", "1s")
        .with("COOLDOWN_SPREAD", "0")
        .with("COOLDOWN_WAIT_IN_SESSION", "0s")
        .with("COOLDOWN_NOTICE_AFTER", "1s")
        .with("COOLDOWN_HOLD_AFTER", "3s");
    fleet.start(2);
    List<Long> ids = fleet.enqueue("out", ONE, 3);
    Awaitility.await()
        .atMost(Duration.ofSeconds(60))
        .until(
            () ->
                ids.stream()
                    .allMatch(id -> of(id, "hold_reason").startsWith("provider_unavailable: ")));
    assertThat(
            fleet.tickets.number(
                "SELECT count(*) FROM holdfast.ticket_activity WHERE action = 'provider_outage'"))
        .as("one notice")
        .isEqualTo(1);

    models.always(DONE);
    fleet.awaitAll(ids, "done");
    assertThat(
            fleet.tickets.number(
                "SELECT sum(retry_count) FROM holdfast.tickets WHERE id = ANY (?)",
                (Object) ids.toArray(Long[]::new)))
        .isZero();
  }
}
