package dev.holdfast.telemetry;

import dev.holdfast.failure.Category;
import dev.holdfast.queue.TicketEvent;
import dev.holdfast.queue.TicketListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.DistributionSummary;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.BooleanSupplier;

/**
 * Counts what the worker decides (A62 to A65). Every series but the rate of retries and the claims
 * of a queue exists from the start, so that the first scrape shows zeros. Thread-safe.
 */
public final class TicketMetrics implements TicketListener {
  private static final double[] DELAY_BUCKETS = {1, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800};

  private final Map<Category, Counter> retried = new EnumMap<>(Category.class);
  private final Map<Category, Counter> exhausted = new EnumMap<>(Category.class);
  private final DistributionSummary retryDelay;
  private final Timer attempts;
  private final Meter.MeterProvider<Counter> claimed;
  private final Counter succeeded;
  private final Counter held;
  private final Counter givenBack;
  private final Counter deferred;
  private final Counter leasesExpired;
  private final Counter staleResults;
  private final RetryOutcomes retries;

  public TicketMetrics(MeterRegistry registry) {
    for (Category category : Category.values()) {
      retried.put(
          category,
          byCategory(
              registry,
              "tickets.retried",
              "Retries scheduled, by the failure's category.",
              category));
      exhausted.put(
          category,
          byCategory(
              registry,
              "tickets.retry.exhausted",
              "Tickets held because their retries were used up.",
              category));
    }
    retryDelay =
        DistributionSummary.builder("retry.delay")
            .description("The wait before each scheduled retry.")
            .baseUnit("seconds")
            .serviceLevelObjectives(DELAY_BUCKETS)
            .register(registry);
    retries = new RetryOutcomes(registry);
    attempts =
        Timer.builder("holdfast.attempt")
            .description("How long successful attempts ran.")
            .serviceLevelObjectives(
                Duration.ofSeconds(1),
                Duration.ofSeconds(10),
                Duration.ofMinutes(1),
                Duration.ofMinutes(10))
            .register(registry);
    claimed =
        Counter.builder("holdfast.tickets.claimed")
            .description("Tickets claimed by this worker, by queue.")
            .withRegistry(registry);
    succeeded = counter(registry, "holdfast.tickets.succeeded", "Attempts that succeeded.");
    held =
        counter(
            registry,
            "holdfast.tickets.held",
            "Tickets put on hold by this worker, for whatever reason.");
    givenBack =
        counter(
            registry,
            "holdfast.tickets.given.back",
            "Tickets given back at shutdown; no retry used.");
    deferred =
        counter(
            registry,
            "holdfast.tickets.deferred",
            "Tickets put off because their providers were not to be called; no retry used.");
    leasesExpired =
        counter(
            registry,
            "holdfast.leases.expired",
            "Tickets rescued from expired leases by this worker.");
    staleResults =
        counter(
            registry,
            "holdfast.results.stale",
            "Results dropped because the lease was not current any more.");
  }

  /** Publishes whether the worker does its work. A worker whose database is away does not. */
  public static void watchReady(MeterRegistry registry, BooleanSupplier ready) {
    Gauge.builder("holdfast.worker.ready", () -> ready.getAsBoolean() ? 1 : 0)
        .description("1 while /health/ready says that the worker claims.")
        .register(registry);
  }

  /** Brings the rate of retries up to date; to be called before a scrape. */
  public void update() {
    retries.update();
  }

  private static Counter byCategory(
      MeterRegistry registry, String name, String description, Category category) {
    return Counter.builder(name)
        .description(description)
        .tag("category", category.wireName())
        .register(registry);
  }

  private static Counter counter(MeterRegistry registry, String name, String description) {
    return Counter.builder(name).description(description).register(registry);
  }

  @Override
  public void on(TicketEvent event) {
    switch (event) {
      case TicketEvent.Claimed each ->
          claimed.withTag("queue", each.ticket().ticket().queue()).increment();
      case TicketEvent.Succeeded each -> {
        succeeded.increment();
        attempts.record(each.ranFor());
        if (each.isRetry()) {
          retries.finished(RetryOutcomes.Outcome.SUCCEEDED);
        }
      }
      case TicketEvent.RetryScheduled each -> {
        of(retried, each.category()).increment();
        retryDelay.record(each.delay().toMillis() / 1000.0);
        failed(each.wasRetry(), each.crashed());
      }
      case TicketEvent.Held each -> {
        held.increment();
        if (isExhausted(each)) {
          of(exhausted, each.category()).increment();
        }
        failed(each.wasRetry(), each.crashed());
      }
      case TicketEvent.Parked each -> held.increment();
      case TicketEvent.Advanced each -> {}
      case TicketEvent.GivenBack each -> (each.rescued() ? leasesExpired : givenBack).increment();
      case TicketEvent.Deferred each -> deferred.increment();
      case TicketEvent.StaleResultDropped each -> staleResults.increment();
    }
  }

  /**
   * Returns true if nothing is left for another try: no retries or, for a repair or an agent, no
   * budget.
   */
  private static boolean isExhausted(TicketEvent.Held held) {
    return held.reason().equals("max_retries") || held.holdReason().startsWith("budget_exceeded");
  }

  private void failed(boolean wasRetry, boolean crashed) {
    if (wasRetry) {
      retries.finished(crashed ? RetryOutcomes.Outcome.CRASHED : RetryOutcomes.Outcome.FAILED);
    }
    if (crashed) {
      leasesExpired.increment();
    }
  }

  private static Counter of(Map<Category, Counter> counters, Category category) {
    return Objects.requireNonNull(counters.get(category));
  }
}
