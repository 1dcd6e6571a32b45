package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Settings;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@WithDatabase
class WorkerProcessIT {
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  private final TestDatabase testDatabase;
  private final TicketDatabase tickets;

  @TempDir Path directory;

  @AutoClose private final HttpClient http = HttpClient.newHttpClient();

  WorkerProcessIT(TestDatabase database) {
    this.testDatabase = database;
    this.tickets = new TicketDatabase(database);
  }

  private WorkerProcess start(@Nullable Path home) {
    return start(0, home);
  }

  private WorkerProcess start(int port, @Nullable Path home) {
    Settings settings =
        new ConfigLoader(
                Path.of("no-such-directory"),
                Map.of(
                    "HOLDFAST_WEB_PORT",
                    Integer.toString(port),
                    "HOLDFAST_HANDLERS_COMMAND_WORKSPACES",
                    directory.resolve("commands").toString(),
                    "HOLDFAST_AGENTS_WORKSPACE_ROOT",
                    directory.resolve("agents").toString()))
            .load(null, Map.of());
    return WorkerProcess.start(settings, Fleet.pooled(testDatabase), event -> {}, home);
  }

  private int ready(int port) throws IOException, InterruptedException {
    return status(port, "/health/ready");
  }

  private int status(int port, String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(PATIENCE)
            .build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  @Test
  @DisplayName(
      "it answers on its port before it claims: a backlog's programs cannot take the threads of its"
          + " HTTP server; closing ends both")
  void answersFirst() throws Exception {
    tickets.run(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('true', 1,"
            + " 'command', '{\"kind\": \"command\", \"review\": \"none\", \"command\":"
            + " [\"true\"]}')");
    long id = tickets.number("SELECT holdfast.enqueue_ticket(design => 'true')");
    int port = freePort();
    CompletableFuture<WorkerProcess> starting;
    try (Connection other = testDatabase.dataSource().getConnection();
        Statement statement = other.createStatement()) {
      other.setAutoCommit(false);
      // Who claims is in this table first.
      statement.execute("LOCK TABLE holdfast.workers");
      starting = CompletableFuture.supplyAsync(() -> start(port, directory));
      await().atMost(PATIENCE).ignoreExceptions().until(() -> live(port) == 200);
      assertThat(ready(port)).isEqualTo(503);
      other.rollback();
    }
    try (WorkerProcess worker = starting.get(PATIENCE.toSeconds(), TimeUnit.SECONDS)) {
      assertThat(worker.port()).isEqualTo(port);
      await()
          .atMost(PATIENCE)
          .untilAsserted(() -> assertThat(tickets.outcomes(id)).containsExactly("succeeded"));
      assertThat(ready(port)).isEqualTo(200);
    }
    assertThatThrownBy(() -> ready(port)).isInstanceOf(ConnectException.class);
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  private int live(int port) throws IOException, InterruptedException {
    return status(port, "/health/live");
  }

  @Test
  @DisplayName(
      "without its console it answers for its health and metrics alone, and logs nobody in")
  void noConsole() throws Exception {
    try (WorkerProcess worker = start(null)) {
      assertThat(ready(worker.port())).isEqualTo(200);
      assertThat(status(worker.port(), "/metrics")).isEqualTo(200);
      assertThat(status(worker.port(), "/login")).isEqualTo(404);
    }
  }

  @Test
  @DisplayName("it deletes the workspaces of agents whose tickets ended a week ago")
  void sweeps() throws IOException {
    long id =
        tickets.number(
            "INSERT INTO holdfast.tickets (kind, state, created_at, completed_at) VALUES ('agent',"
                + " 'done', to_timestamp(1700000000), now() - interval '8 days') RETURNING id");
    Path workspace =
        Files.createDirectories(directory.resolve("agents/ticket-" + id + "-1700000000"));

    WorkerProcess worker = start(directory);
    try (worker) {
      await().atMost(PATIENCE).untilAsserted(() -> assertThat(workspace).doesNotExist());
    }
  }
}
