package dev.holdfast.telemetry;

import dev.holdfast.llm.account.AccountFailure;
import dev.holdfast.llm.account.AccountListener;
import dev.holdfast.llm.account.Scope;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Counts cool-downs, breakers and calls that were not made. Thread-safe; all sessions share one.
 */
public final class AccountMetrics implements AccountListener {
  private final MeterRegistry registry;

  /**
   * @param closed the providers and accounts that this worker knows to be closed now
   */
  public AccountMetrics(MeterRegistry registry, Supplier<List<Scope>> closed) {
    this.registry = registry;
    // A gauge of an object would hold it weakly, and would be NaN once the object is collected.
    Gauge.builder("holdfast.providers.closed", () -> closed.get().size())
        .description("Providers and accounts that no worker calls now.")
        .register(registry);
  }

  /**
   * Publishes for how long each provider has given no answer.
   *
   * @param outage the outage of a provider by its name; zero while it answers
   */
  public void watchOutages(Set<String> providers, Function<String, Duration> outage) {
    for (String provider : providers) {
      Gauge.builder(
              "holdfast.provider.outage.seconds", () -> outage.apply(provider).toMillis() / 1000.0)
          .description("For how long the provider has given no answer; 0 while it answers.")
          .tag("provider", provider)
          .register(registry);
    }
  }

  @Override
  public void closed(AccountFailure failure) {
    Counter.builder("holdfast.provider.cooldowns")
        .description("Cool-downs and breakers that this worker was the first to find, by reason.")
        .tag("provider", failure.scope().provider())
        .tag("reason", failure.reason().wireName())
        .register(registry)
        .increment();
  }

  @Override
  public void refused(String provider, String why) {
    Counter.builder("holdfast.llm.refused")
        .description("Calls that were not sent: cooling, account or budget.")
        .tag("provider", provider)
        .tag("why", why)
        .register(registry)
        .increment();
  }
}
