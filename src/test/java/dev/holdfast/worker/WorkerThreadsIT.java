package dev.holdfast.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.queue.TicketEvent;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.api.parallel.Resources;

@WithDatabase
@Timeout(120)
@ResourceLock(Resources.GLOBAL) // it counts the threads of the process
class WorkerThreadsIT {
  private final TestWorker setup;

  WorkerThreadsIT(TestDatabase database) {
    this.setup =
        new TestWorker(new TicketDatabase(database)).handler(ticket -> HandlerResult.done(null));
  }

  @Test
  @DisplayName("a stopped worker leaves no thread behind")
  void threads() throws Exception {
    try (Worker worker = setup.start()) {
      setup.enqueue();
      setup.events.await(TicketEvent.Succeeded.class);
      assertThat(ours()).isNotEmpty();
      assertThat(worker.running()).isZero();
    }
    for (Thread thread : ours().toList()) {
      thread.join(Duration.ofSeconds(20).toMillis());
    }
    assertThat(ours()).isEmpty();
  }

  private static Stream<Thread> ours() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().startsWith("holdfast-"));
  }
}
