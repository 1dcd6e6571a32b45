package dev.holdfast.telemetry;

import dev.holdfast.llm.ProviderEvent;
import dev.holdfast.llm.ProviderEventListener;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import dev.holdfast.llm.WireListener;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Collection;

/**
 * Counts every HTTP request to a model, and what was asked of providers with all tries (E10, E48).
 * The series of providers exist from the start; the others come with the first call of a model.
 * Thread-safe.
 */
public final class ModelMetrics implements WireListener, ProviderEventListener {
  private static final Duration[] LATENCY_BUCKETS = {
    Duration.ofMillis(500),
    Duration.ofSeconds(1),
    Duration.ofSeconds(2),
    Duration.ofSeconds(5),
    Duration.ofSeconds(10),
    Duration.ofSeconds(30),
    Duration.ofSeconds(60),
    Duration.ofSeconds(120)
  };

  private final MeterRegistry registry;

  /**
   * @param providers the providers whose requests are counted from zero, so that their rates are
   *     right from the first request on
   */
  public ModelMetrics(MeterRegistry registry, Collection<String> providers) {
    this.registry = registry;
    for (String provider : providers) {
      for (boolean flag : new boolean[] {false, true}) {
        requests(provider, false, flag);
        requests(provider, true, flag);
      }
    }
  }

  @Override
  public void on(WireCall call) {
    String failure = call.failure() == null ? "none" : call.failure().wireName();
    counter("holdfast.llm.calls", "HTTP requests to models; failure is none for an answer.", call)
        .tag("failure", failure)
        .register(registry)
        .increment();
    tokens(call, "input", call.usage().input());
    tokens(call, "cache_read", call.usage().cacheRead());
    tokens(call, "cache_write", call.usage().cacheWrite());
    tokens(call, "output", call.usage().output());
    if (call.costUsd() != null) {
      counter("holdfast.llm.cost", "What they cost by the price tables.", call)
          .baseUnit("usd")
          .register(registry)
          .increment(call.costUsd().doubleValue());
    }
    latency(call);
  }

  private void latency(WireCall call) {
    Timer.builder("holdfast.llm.latency")
        .description("From the start of a request to its last byte.")
        .tag("provider", call.target().provider())
        .tag("model", call.target().model())
        .serviceLevelObjectives(LATENCY_BUCKETS)
        .register(registry)
        .record(call.latency());
  }

  private void tokens(WireCall call, String kind, long count) {
    if (!call.usage().equals(Usage.NONE)) {
      counter("holdfast.llm.tokens", "Tokens, as the providers count them.", call)
          .tag("kind", kind)
          .register(registry)
          .increment(count);
    }
  }

  private static Counter.Builder counter(String name, String description, WireCall call) {
    Target target = call.target();
    return Counter.builder(name)
        .description(description)
        .tag("provider", target.provider())
        .tag("model", target.model());
  }

  @Override
  public void on(ProviderEvent event) {
    if (event instanceof ProviderEvent.ProviderRequestFinished finished && finished.sent()) {
      requests(finished.provider(), finished.retries() > 0, finished.success()).increment();
    }
  }

  private Counter requests(String provider, boolean retried, boolean answered) {
    return Counter.builder("holdfast.provider.requests")
        .description("What agents and repairs asked of providers, each with all its tries.")
        .tag("provider", provider)
        .tag("retried", Boolean.toString(retried))
        .tag("outcome", answered ? "answered" : "failed")
        .register(registry);
  }
}
