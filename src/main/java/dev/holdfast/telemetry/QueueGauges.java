package dev.holdfast.telemetry;

import dev.holdfast.queue.read.QueueHealth;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;

/**
 * The depth of each queue as gauges; {@link #update} is called before a scrape. A queue's gauges
 * are made once, because making them takes longer than a scrape of them. Thread-safe.
 */
public final class QueueGauges {
  private final MeterRegistry registry;
  private final Map<String, Shown> shown = new HashMap<>();

  public QueueGauges(MeterRegistry registry) {
    this.registry = registry;
  }

  /** What the gauges of one queue show. */
  private static final class Shown {
    private final List<Meter> gauges;
    private volatile QueueHealth health;

    Shown(QueueHealth health, MeterRegistry registry) {
      this.health = health;
      this.gauges =
          List.of(
              depth("ready", queue -> queue.ready() - queue.waitingForLimit(), registry),
              depth("limit", QueueHealth::waitingForLimit, registry),
              depth("retrying", QueueHealth::retrying, registry),
              depth("scheduled", QueueHealth::scheduled, registry),
              depth("provider", QueueHealth::waitingForProvider, registry),
              depth("in_progress", QueueHealth::inProgress, registry),
              depth("on_hold", QueueHealth::onHold, registry),
              gauge("holdfast.queue.paused", queue -> queue.paused() ? 1 : 0)
                  .description("1 while the queue is paused.")
                  .register(registry));
    }

    private Gauge depth(String wait, ToDoubleFunction<QueueHealth> count, MeterRegistry registry) {
      return gauge("holdfast.queue.tickets", count)
          .description("Tickets by queue and what they wait for; in_progress wait for nothing.")
          .tag("wait", wait)
          .register(registry);
    }

    private Gauge.Builder<Shown> gauge(String name, ToDoubleFunction<QueueHealth> value) {
      return Gauge.builder(name, this, queue -> value.applyAsDouble(queue.health))
          .tag("queue", health.queue());
    }
  }

  public synchronized void update(List<QueueHealth> queues) {
    for (QueueHealth queue : queues) {
      shown.computeIfAbsent(queue.queue(), name -> new Shown(queue, registry)).health = queue;
    }
    forgetOthers(queues);
  }

  private void forgetOthers(List<QueueHealth> queues) {
    Map<String, Shown> gone = new HashMap<>(shown);
    gone.keySet().removeAll(queues.stream().map(QueueHealth::queue).collect(Collectors.toSet()));
    gone.forEach(
        (name, queue) -> {
          queue.gauges.forEach(registry::remove);
          shown.remove(name);
        });
  }
}
