package dev.holdfast.deployment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.telemetry.AccountMetrics;
import dev.holdfast.telemetry.ModelMetrics;
import dev.holdfast.telemetry.QueueGauges;
import dev.holdfast.telemetry.RepairMetrics;
import dev.holdfast.telemetry.SessionMetrics;
import dev.holdfast.telemetry.TicketMetrics;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Lease;
import dev.holdfast.ticket.Ticket;
import io.micrometer.core.instrument.binder.system.UptimeMetrics;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class AlertsTest {
  /** A series with its labels, as {@code up{job="holdfast"}}. */
  private static final Pattern SELECTOR = Pattern.compile("(\\w+)\\{([^}]*)}");

  /** A name of a series of ours or of Prometheus' own. */
  private static final Pattern SERIES =
      Pattern.compile("\\b(?:up|(?:holdfast|tickets|retry|ai_agent)_\\w+)\\b");

  /** As pages write series: with the ends that Prometheus gives them. */
  private static final Pattern NAMED =
      Pattern.compile(
          "\\b(?:holdfast|tickets|retry|ai_agent)_\\w+_(?:total|seconds|usd|bucket|count|sum)\\b");

  /** Come with the first call of a model or its first failure. */
  private static final Set<String> LATER =
      Set.of(
          "holdfast_llm_calls_total",
          "holdfast_llm_refused_total",
          "holdfast_provider_cooldowns_total",
          "holdfast_llm_tokens_total",
          "holdfast_llm_cost_usd_total",
          "holdfast_llm_latency_seconds");

  private static final ClaimedTicket CLAIMED =
      new ClaimedTicket(
          new Ticket(1, "mail", "email", null, "{}", 0, Instant.EPOCH),
          new Lease(1, "worker", Instant.EPOCH, Instant.EPOCH),
          Optional.empty(),
          1,
          0,
          List.of());

  private static final Pattern LABEL = Pattern.compile("(\\w+)=\"([^\"]*)\"");

  /** What a worker shows at its first scrape, with one queue and one claim. */
  private static String scrape() {
    PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
    new TicketMetrics(registry).on(new TicketEvent.Claimed(CLAIMED));
    TicketMetrics.watchReady(registry, () -> true);
    new SessionMetrics(registry);
    new RepairMetrics(registry);
    new ModelMetrics(registry, List.of("openai"));
    new AccountMetrics(registry, List::of)
        .watchOutages(Set.of("openai"), provider -> Duration.ZERO);
    new UptimeMetrics().bindTo(registry);
    new QueueGauges(registry)
        .update(List.of(new QueueHealth("mail", false, null, 0, null, 0, 0, null, 0, 0, 0, 0)));
    return registry.scrape();
  }

  @Test
  @DisplayName("A62 to A65, B69, E49: every series and label value that an alert asks for exists")
  void series() throws IOException {
    String scrape = scrape();
    Set<String> asked = new TreeSet<>();
    for (JsonNode rule :
        Yaml.documents(Path.of("deploy/alerts.yaml")).getFirst().at("/groups/0/rules")) {
      Matcher selector = SELECTOR.matcher(rule.path("expr").asString());
      while (selector.find()) {
        assertThat(selector.group(2)).contains("job=\"holdfast\"");
        if (!selector.group(1).equals("up")) {
          asked.add(selector.group(1));
          assertThat(scrape).containsPattern(pattern(selector.group(1), selector.group(2)));
        }
      }
    }
    assertThat(asked)
        .contains(
            "tickets_retry_exhausted_total",
            "tickets_retries_finished_total",
            "holdfast_provider_requests_total",
            "ai_agent_final_report_total");
  }

  @Test
  @DisplayName("issue 22, 12: every series and label value that the dashboard asks for exists")
  void dashboard() throws IOException {
    String scrape = scrape();
    JsonNode dashboard =
        JsonMapper.shared().readTree(Path.of("deploy/grafana/holdfast.json").toFile());
    Set<String> titles = new TreeSet<>();
    for (JsonNode panel : dashboard.path("panels")) {
      assertThat(titles.add(panel.path("title").asString())).isTrue();
      assertThat(panel.path("targets").isEmpty()).isFalse();
      for (JsonNode target : panel.path("targets")) {
        String expression = target.path("expr").asString();
        // Whatever is no function of PromQL is a series with its job.
        assertThat(SERIES.matcher(expression).results().map(MatchResult::group))
            .as(expression)
            .isNotEmpty()
            .allMatch(name -> expression.contains(name + "{job=\"holdfast\""));
        Matcher selector = SELECTOR.matcher(expression);
        while (selector.find()) {
          if (!selector.group(1).equals("up")) {
            assertThat(scrape).containsPattern(pattern(selector.group(1), selector.group(2)));
          }
        }
      }
    }
    assertThat(titles).hasSizeGreaterThan(8);
  }

  @Test
  @DisplayName("22.14: every series that a page names exists")
  void pages() throws IOException {
    String scrape = scrape();
    Set<String> wrong = new TreeSet<>();
    Set<String> named = new TreeSet<>();
    try (Stream<Path> pages = Files.walk(Path.of("docs"))) {
      for (Path page : pages.filter(each -> each.toString().endsWith(".md")).toList()) {
        for (MatchResult each : NAMED.matcher(Files.readString(page)).results().toList()) {
          named.add(each.group());
          if (!scrape.contains("\n" + each.group()) && !LATER.contains(each.group())) {
            wrong.add(page + ": " + each.group());
          }
        }
      }
    }
    assertThat(wrong).isEmpty();
    assertThat(named).hasSizeGreaterThan(10);
  }

  private static Pattern pattern(String name, String labels) {
    StringBuilder line = new StringBuilder("(?m)^" + name + "[ {]");
    Matcher label = LABEL.matcher(labels);
    while (label.find()) {
      if (!label.group(1).equals("job")) {
        line.append(".*").append(Pattern.quote(label.group()));
      }
    }
    return Pattern.compile(line.toString());
  }
}
