package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.holdfast.testing.NotifySocket;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

/** A worker as systemd starts it, with {@code Type=notify} and a watchdog. */
@WithDatabase
@EnabledOnOs(OS.LINUX)
class NotifyIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @Test
  @DisplayName(
      "issue 22, 12: a worker says READY=1 when it answers, WATCHDOG=1 while it lives and drains,"
          + " STOPPING=1 at SIGTERM")
  void worker(TestDatabase database, @TempDir Path directory) throws Exception {
    Job job = Job.waiting(directory);
    TicketRows rows = new TicketRows(database.dataSource());
    rows.addDesign("wait", job);
    long id = rows.enqueue("wait", "default");
    try (NotifySocket socket = NotifySocket.in(directory);
        Installation holdfast = Installation.on(database, directory)) {
      List<String> notices = socket.received();
      HoldfastProcess worker =
          holdfast
              .with("NOTIFY_SOCKET", socket.name())
              .with("WATCHDOG_USEC", "400000")
              .with("HOLDFAST_WEB_HOST", "0.0.0.0")
              .with("HOLDFAST_WEB_TOKENS", "viewer:of-a-test-of-notices")
              .worker();
      await().atMost(PATIENCE).until(() -> !notices.isEmpty());
      assertThat(notices.getFirst()).isEqualTo("READY=1");
      assertThat(worker.status("/health/live")).isEqualTo(200);
      await().atMost(PATIENCE).until(() -> Collections.frequency(notices, "WATCHDOG=1") >= 3);

      job.awaitStart(id, 1);
      worker.signal("TERM");
      await().atMost(PATIENCE).until(() -> notices.contains("STOPPING=1"));
      int stopping = notices.indexOf("STOPPING=1");
      await()
          .atMost(PATIENCE)
          .until(() -> notices.subList(stopping, notices.size()).contains("WATCHDOG=1"));
      job.go(id, 1);
      assertThat(worker.awaitExit(PATIENCE)).isZero();
      rows.awaitState(id, "done");
    }
  }
}
