package dev.holdfast.telemetry;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.read.QueueHealth;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The gauges of queues")
class QueueGaugesTest {
  private final SimpleMeterRegistry registry = new SimpleMeterRegistry();
  private final QueueGauges gauges = new QueueGauges(registry);

  private static QueueHealth queue(String name, boolean paused, long ready) {
    return new QueueHealth(name, paused, null, ready, null, 0, 0, null, 0, 0, 0, 0);
  }

  @Test
  @DisplayName("are made once for each queue, tell its newest figures, and go with it")
  void madeOnce() {
    gauges.update(List.of(queue("mail", false, 3), queue("old", false, 1)));
    Gauge ready =
        registry.get("holdfast.queue.tickets").tags("queue", "mail", "wait", "ready").gauge();
    assertThat(ready.value()).isEqualTo(3);

    gauges.update(List.of(queue("mail", true, 5)));
    assertThat(
            registry.get("holdfast.queue.tickets").tags("queue", "mail", "wait", "ready").gauge())
        .as("10,000 queues would take seconds of each scrape")
        .isSameAs(ready);
    assertThat(ready.value()).isEqualTo(5);
    assertThat(registry.get("holdfast.queue.paused").tag("queue", "mail").gauge().value()).isOne();
    assertThat(registry.find("holdfast.queue.tickets").tag("queue", "old").gauges()).isEmpty();
    assertThat(registry.getMeters()).hasSize(8);
  }
}
