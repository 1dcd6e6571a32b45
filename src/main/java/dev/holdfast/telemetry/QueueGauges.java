package dev.holdfast.telemetry;

import dev.holdfast.queue.read.QueueHealth;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.List;

/** The depth of each queue as gauges; {@link #update} is called before a scrape. Thread-safe. */
public final class QueueGauges {
  private final MultiGauge tickets;
  private final MultiGauge paused;

  public QueueGauges(MeterRegistry registry) {
    tickets =
        MultiGauge.builder("holdfast.queue.tickets")
            .description("Tickets by queue and what they wait for; in_progress wait for nothing.")
            .register(registry);
    paused =
        MultiGauge.builder("holdfast.queue.paused")
            .description("1 while the queue is paused.")
            .register(registry);
  }

  public void update(List<QueueHealth> queues) {
    List<MultiGauge.Row<?>> depths = new ArrayList<>();
    List<MultiGauge.Row<?>> pauses = new ArrayList<>();
    for (QueueHealth queue : queues) {
      depths.add(depth(queue, "ready", queue.ready() - queue.waitingForLimit()));
      depths.add(depth(queue, "limit", queue.waitingForLimit()));
      depths.add(depth(queue, "retrying", queue.retrying()));
      depths.add(depth(queue, "scheduled", queue.scheduled()));
      depths.add(depth(queue, "provider", queue.waitingForProvider()));
      depths.add(depth(queue, "in_progress", queue.inProgress()));
      depths.add(depth(queue, "on_hold", queue.onHold()));
      pauses.add(MultiGauge.Row.of(Tags.of("queue", queue.queue()), queue.paused() ? 1 : 0));
    }
    tickets.register(depths, true);
    paused.register(pauses, true);
  }

  private static MultiGauge.Row<?> depth(QueueHealth queue, String wait, long count) {
    return MultiGauge.Row.of(Tags.of("queue", queue.queue(), "wait", wait), count);
  }
}
