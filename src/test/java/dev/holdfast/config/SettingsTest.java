package dev.holdfast.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.config.WebSettings.Role;
import dev.holdfast.config.WebSettings.Token;
import dev.holdfast.failure.Category;
import dev.holdfast.failure.Rule;
import dev.holdfast.handler.command.CommandSettings;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Retention;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.Counting;
import dev.holdfast.retry.DurationText;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.tool.ToolRetrySettings;
import dev.holdfast.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Every default and every key of each record: a key cannot be added untested. */
class SettingsTest {
  private static final Path NOWHERE = Path.of("no-such-directory");

  private static Settings withFlags(Map<String, String> flags) {
    return new ConfigLoader(NOWHERE, Map.of()).load(null, flags);
  }

  @Test
  @DisplayName("database: defaults and keys")
  void database() {
    assertThat(Settings.defaults().database())
        .isEqualTo(new DatabaseSettings(null, null, null, null, 10, null));

    Settings set =
        withFlags(
            Map.of(
                "database.url",
                "postgres://h/d",
                "database.user",
                "u",
                "database.password",
                "p",
                "database.pool-size",
                "3",
                "database.listen-url",
                "jdbc:postgresql://l/d"));

    assertThat(set.database())
        .isEqualTo(
            new DatabaseSettings("postgres://h/d", "u", "p", null, 3, "jdbc:postgresql://l/d"));
  }

  @Test
  @DisplayName("worker: defaults and keys")
  void worker() {
    assertThat(Settings.defaults().worker()).isEqualTo(WorkerSettings.defaults());

    Settings set =
        withFlags(
            Map.of(
                "worker.concurrency",
                "7",
                "worker.pollers",
                "2",
                "worker.poll-interval",
                "50ms",
                "worker.lease",
                "10s",
                "worker.heartbeat-interval",
                "2s",
                "worker.rescue-interval",
                "3s",
                "worker.drain-timeout",
                "0",
                "worker.queues",
                "a, b",
                "worker.claim-batch",
                "9"));

    assertThat(set.worker())
        .isEqualTo(
            WorkerSettings.defaults()
                .withConcurrency(7)
                .withPollers(2)
                .withPollInterval(Duration.ofMillis(50))
                .withLease(Duration.ofSeconds(10), Duration.ofSeconds(2))
                .withRescueInterval(Duration.ofSeconds(3))
                .withDrainTimeout(Duration.ZERO)
                .withQueues(Set.of("a", "b"))
                .withClaimBatch(9));
  }

  @Test
  @DisplayName("A14, A15, A18: the retry defaults, and their keys")
  void retry() {
    assertThat(Settings.defaults().retry()).isEqualTo(RetrySettings.defaults());

    Settings set =
        withFlags(
            Map.of(
                "retry.max-delay",
                "1h",
                "retry.jitter",
                "0",
                "retry.same-error-limit",
                "0",
                "retry.crash-limit",
                "9",
                "retry.counting",
                "per_category",
                "retry.categories.api_error.max-retries",
                "8",
                "retry.categories.api_error.backoff",
                "none",
                "retry.categories.api_error.base-delay",
                "1ms"));

    assertThat(set.retry().of(Category.API_ERROR))
        .isEqualTo(new CategoryPolicy(8, new Backoff(BackoffType.NONE, Duration.ofMillis(1))));
    assertThat(set.retry().of(Category.TRANSIENT))
        .isEqualTo(RetrySettings.defaults().of(Category.TRANSIENT));
    assertThat(set.retry().maxDelay()).isEqualTo(Duration.ofHours(1));
    assertThat(set.retry().jitter()).isZero();
    assertThat(set.retry().sameErrorLimit()).isZero();
    assertThat(set.retry().crashLimit()).isEqualTo(9);
    assertThat(set.retry().counting()).isEqualTo(Counting.PER_CATEGORY);
  }

  @Test
  @DisplayName("every category has its three keys")
  void categories() {
    for (Category category : Category.values()) {
      String prefix = "retry.categories." + category.wireName();
      Settings set =
          withFlags(
              Map.of(
                  prefix + ".max-retries",
                  "6",
                  prefix + ".backoff",
                  "linear",
                  prefix + ".base-delay",
                  "4s"));
      assertThat(set.retry().of(category))
          .isEqualTo(new CategoryPolicy(6, new Backoff(BackoffType.LINEAR, Duration.ofSeconds(4))));
    }
  }

  @Test
  @DisplayName("retention: defaults and keys")
  void retention() {
    assertThat(Settings.defaults().workspaceRetention()).isEqualTo(Duration.ofDays(7));

    Settings set =
        withFlags(
            Map.of(
                "retention.done",
                "0",
                "retention.cancelled",
                "2d",
                "retention.stopped-workers",
                "3d",
                "retention.workspaces",
                "5d",
                "retention.interval",
                "4h"));

    assertThat(set.worker().retention())
        .isEqualTo(new Retention(Duration.ZERO, Duration.ofDays(2), Duration.ofDays(3)));
    assertThat(set.worker().retentionInterval()).isEqualTo(Duration.ofHours(4));
    assertThat(set.workspaceRetention()).isEqualTo(Duration.ofDays(5));
  }

  @Test
  @DisplayName("classifier, payload, command: defaults and keys")
  void theRest() {
    Settings defaults = Settings.defaults();
    assertThat(defaults.classifierRules()).isEmpty();
    assertThat(defaults.payloadMaxBytes()).isEqualTo(1_048_576);
    assertThat(defaults.command())
        .isEqualTo(
            new CommandSettings(
                false,
                Path.of(".holdfast/workspaces"),
                Map.of(),
                Set.of(),
                Duration.ofSeconds(2),
                ""));

    Settings set =
        withFlags(
            Map.of(
                "classifier.rules",
                "[{id: vpn, stage: text, category: transient, patterns: ['tunnel down']}]",
                "payload.max-bytes",
                "99",
                "payload.max-expanded-bytes",
                "88888",
                "claim.max-bytes",
                "99999",
                "handlers.command.allow-inline",
                "true",
                "handlers.command.pass-environment",
                "HOME,LANG",
                "handlers.command.workspaces",
                "/w",
                "handlers.command.kill-grace",
                "1s",
                "handlers.command.user",
                "jobs"));

    assertThat(set.classifierRules()).extracting(Rule::id).containsExactly("vpn");
    assertThat(set.payloadMaxBytes()).isEqualTo(99);
    assertThat(set.worker().room()).isEqualTo(new ClaimRequest.Room(99_999, 88_888, 1));
    assertThat(set.command())
        .isEqualTo(
            new CommandSettings(
                true,
                Path.of("/w"),
                Map.of(),
                Set.of("HOME", "LANG"),
                Duration.ofSeconds(1),
                "jobs"));
  }

  @Test
  @DisplayName("web: defaults and keys")
  void web() {
    assertThat(Settings.defaults().web())
        .isEqualTo(
            new WebSettings(
                8080,
                "127.0.0.1",
                List.of(),
                new WebSettings.Limits(6000, 8, 3, Duration.ofSeconds(10)),
                NoticeSettings.of(Values.read(Map.of())),
                AuthSettings.NONE,
                null));

    Settings set =
        withFlags(
            Map.of(
                "web.port",
                "0",
                "web.host",
                "0.0.0.0",
                "web.tokens",
                "viewer:0123456789abcdef,operator/ann@home:sha256:" + "aB".repeat(32),
                "web.requests-per-minute",
                "60",
                "web.concurrent-requests",
                "5",
                "web.pool-size",
                "2",
                "web.statement-timeout",
                "1s"));

    assertThat(set.web())
        .isEqualTo(
            new WebSettings(
                0,
                "0.0.0.0",
                List.of(
                    new Token(
                        Role.VIEWER,
                        null,
                        "9f9f5111f7b27a781f1f1ddde5ebc2dd2b796bfc7365c9c28b548e564176929f"),
                    new Token(Role.OPERATOR, "ann@home", "ab".repeat(32))),
                new WebSettings.Limits(60, 5, 2, Duration.ofSeconds(1)),
                NoticeSettings.of(Values.read(Map.of())),
                AuthSettings.NONE,
                null));
  }

  @Test
  @DisplayName("other machines may connect only where there are tokens")
  void openHostNeedsTokens() {
    assertThatThrownBy(() -> withFlags(Map.of("web.host", "0.0.0.0")))
        .isInstanceOf(ConfigException.class)
        .hasMessageContaining("web.host")
        .hasMessageContaining("web.tokens");
  }

  @Test
  @DisplayName("a heartbeat interval of half the lease or more is refused")
  void heartbeat() {
    Map<String, String> half = Map.of("worker.lease", "30s", "worker.heartbeat-interval", "15s");

    assertThatThrownBy(() -> withFlags(half))
        .isInstanceOf(ConfigException.class)
        .hasMessage(
            "worker.heartbeat-interval: 15s must be less than half of worker.lease, which is 30s");
  }

  @ParameterizedTest
  @CsvSource({"60s, 15s", "2m, 15s", "20s, 5s", "100ms, 25ms"})
  @DisplayName("a shorter lease alone has heartbeats that fit it")
  void heartbeatOfShortLease(String lease, String interval) {
    assertThat(withFlags(Map.of("worker.lease", lease)).worker().heartbeatInterval())
        .isEqualTo(DurationText.parse(interval));
  }

  @Test
  @DisplayName("a classifier rule that cannot be used stops the start")
  void badRule() {
    assertThatThrownBy(() -> withFlags(Map.of("classifier.rules", "[{id: vpn, category: sunny}]")))
        .isInstanceOf(ConfigException.class)
        .hasMessageStartingWith("classifier.rules: ")
        .hasMessageContaining("sunny");
  }

  @Test
  @DisplayName("log: default and key")
  void log() {
    assertThat(Settings.defaults().logFormat()).isEqualTo("text");
    assertThat(withFlags(Map.of("log.format", "json")).logFormat()).isEqualTo("json");
  }

  @Test
  @DisplayName("secrets are not in what the records print")
  void secrets() {
    Settings set =
        withFlags(
            Map.of(
                "database.url",
                "postgres://ann:hunter2@h/d",
                "database.password",
                "hunter2",
                "database.listen-url",
                "jdbc:postgresql://h/d?user=a&password=hunter2",
                "web.tokens",
                "operator:hunter2hunter2hunter2",
                "webhooks.url",
                "https://hooks.example/hunter2",
                "webhooks.secret",
                "hunter2hunter2hunter2",
                "mcp.token",
                "hunter2"));

    assertThat(set.toString()).doesNotContain("hunter2").contains("postgres://ann:***@h/d");
  }

  @Test
  @DisplayName("C14, C15: tools.max-retries is 3 and at least 1; less is an error that names it")
  void tools() {
    assertThat(Settings.defaults().agents().handler().tools().retry())
        .isEqualTo(ToolRetrySettings.defaults());
    assertThat(Settings.defaults().agents().handler().tools().retry().maxAttempts()).isEqualTo(3);
    assertThat(
            withFlags(Map.of("tools.max-retries", "1"))
                .agents()
                .handler()
                .tools()
                .retry()
                .maxAttempts())
        .isEqualTo(1);
    assertThat(SessionKeys.TOOLS_MAX_RETRIES.description())
        .startsWith("Maximum retry attempts for failed tool executions");
    for (String bad : List.of("0", "-1", "2.5", "many")) {
      assertThatThrownBy(() -> withFlags(Map.of("tools.max-retries", bad)))
          .isInstanceOf(ConfigException.class)
          .hasMessageContaining("tools.max-retries");
    }
  }
}
