package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.process.UnixDatagram;
import dev.holdfast.testing.NotifySocket;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.HashMap;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Order(1) // it waits long
@EnabledOnOs(OS.LINUX)
class SystemdTest {
  private static final Duration PATIENCE = Duration.ofSeconds(30);

  /** A beat every 50 ms. */
  private static final String WATCHDOG = "200000";

  @TempDir private Path directory;
  private final AtomicInteger status = new AtomicInteger(200);
  private final AtomicInteger asked = new AtomicInteger();
  private HttpServer server;
  private URI live;

  @BeforeEach
  void serve() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext(
        "/health/live",
        exchange -> {
          exchange.sendResponseHeaders(status.get(), -1);
          exchange.close();
          asked.incrementAndGet();
        });
    server.start();
    live = URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/health/live");
  }

  @AfterEach
  void stop() {
    server.stop(0);
  }

  private static Systemd systemd(NotifySocket socket, String... more) {
    Map<String, String> environment = new HashMap<>(Map.of("NOTIFY_SOCKET", socket.name()));
    for (int i = 0; i < more.length; i += 2) {
      environment.put(more[i], more[i + 1]);
    }
    return new Systemd(environment);
  }

  private void readyAndStopping(Systemd systemd) {
    try (systemd) {
      systemd.ready(live);
      systemd.stopping();
    }
  }

  private static int beats(NotifySocket socket) {
    return Collections.frequency(socket.received(), "WATCHDOG=1");
  }

  private static void awaitBeats(NotifySocket socket, int more) {
    int before = beats(socket);
    await().atMost(PATIENCE).until(() -> beats(socket) >= before + more);
  }

  @Test
  @DisplayName(
      "issue 22, 12: the watchdog is fed while /health/live answers 200, not while it answers 503"
          + " or not at all")
  void watchdog() throws Exception {
    try (NotifySocket socket = NotifySocket.in(directory);
        Systemd systemd = systemd(socket, "WATCHDOG_USEC", WATCHDOG)) {
      systemd.ready(live);
      awaitBeats(socket, 3);
      assertThat(socket.received().getFirst()).isEqualTo("READY=1");

      status.set(503);
      silentWhileAsked(socket);
      status.set(200);
      awaitBeats(socket, 1);

      systemd.stopping();
      await().atMost(PATIENCE).until(() -> socket.received().contains("STOPPING=1"));
      awaitBeats(socket, 2);
      server.stop(0);
      awaitSilence(socket);
    }
  }

  /** Whether no beat has come since it was asked last. */
  private static final class Unchanged {
    private final NotifySocket socket;
    private int before = -1;

    Unchanged(NotifySocket socket) {
      this.socket = socket;
    }

    boolean holds() {
      int now = beats(socket);
      boolean same = now == before;
      before = now;
      return same;
    }
  }

  private void silentWhileAsked(NotifySocket socket) {
    int from = asked.get();
    // The one that was under way and the one before it may still be told.
    await().atMost(PATIENCE).until(() -> asked.get() > from + 2);
    awaitSilence(socket);
  }

  private static void awaitSilence(NotifySocket socket) {
    await().during(Duration.ofMillis(300)).atMost(PATIENCE).until(new Unchanged(socket)::holds);
  }

  @Test
  @DisplayName("issue 22, 12: abstract sockets; no beat without a watchdog, or for another process")
  void noWatchdog() throws Exception {
    try (NotifySocket socket = NotifySocket.named("@holdfast-" + UUID.randomUUID())) {
      readyAndStopping(systemd(socket));
      readyAndStopping(systemd(socket, "WATCHDOG_USEC", WATCHDOG, "WATCHDOG_PID", "1"));
      await().atMost(PATIENCE).until(() -> socket.received().size() == 4);
      assertThat(socket.received())
          .containsExactly("READY=1", "STOPPING=1", "READY=1", "STOPPING=1");
      assertThat(asked).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "0", "-5", "soon", "99999999999999999999", "9223372036854775807"})
  @DisplayName("issue 22, 12: a watchdog's time that is none does not stop the worker")
  void badTime(String micros) throws Exception {
    try (NotifySocket socket = NotifySocket.in(directory)) {
      readyAndStopping(systemd(socket, "WATCHDOG_USEC", micros));
      await().atMost(PATIENCE).until(() -> socket.received().contains("STOPPING=1"));
      assertThat(asked).hasValue(0);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "@", "vsock:2:1234", "relative", "/no/such/socket", "/tmp"})
  @DisplayName("issue 22, 12: where nobody receives, sending says so and the worker goes on")
  void nobody(String name) {
    for (String each : new String[] {name, "/" + "long".repeat(30)}) {
      assertThatThrownBy(() -> UnixDatagram.send(each, "READY=1"))
          .isInstanceOf(IOException.class)
          .hasMessageContaining(each);
      readyAndStopping(new Systemd(Map.of("NOTIFY_SOCKET", each)));
    }
  }
}
