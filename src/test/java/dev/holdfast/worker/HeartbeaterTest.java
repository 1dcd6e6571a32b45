package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.Heartbeat;
import dev.holdfast.queue.TicketQueue;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class HeartbeaterTest {
  /** Of a worker that the database knows and that has no leases. */
  private static final TicketQueue QUEUE =
      (TicketQueue)
          Proxy.newProxyInstance(
              TicketQueue.class.getClassLoader(),
              new Class<?>[] {TicketQueue.class},
              (proxy, method, arguments) -> new Heartbeat(Set.of(), Set.of(), Map.of(), true));

  private static Duration pause(Duration lease, Duration interval) {
    WorkerSettings settings = WorkerSettings.defaults().withLease(lease, interval);
    return new Heartbeater(QUEUE, new WorkerLeases(), "w-1", settings, () -> {}, () -> {}).beat();
  }

  @Test
  @DisplayName("however long the leases are, a worker is heard of before it counts as lost")
  void signOfLife() {
    assertThat(pause(Duration.ofHours(1), Duration.ofMinutes(10)))
        .isLessThan(Duration.ofSeconds(30));
    assertThat(pause(Duration.ofMinutes(1), Duration.ofSeconds(15)))
        .isEqualTo(Duration.ofSeconds(15));
  }
}
