package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Issue 20, 1.4: a job is no operator because it runs on the same machine. */
@Tag("slow")
@WithDatabase
class AuthorityIT {
  /** What a program of a ticket tries at the worker that has started it. */
  private static void child(HoldfastProcess worker, TicketRows rows, Path directory)
      throws Exception {
    rows.addDesign("reviewed", new Job(directory, "true", "human"));
    rows.addDesign(
        "hostile",
        Job.of(
            directory,
            """
            env > environment
            exec bash ./hostile.sh
            """));
    Files.writeString(
        directory.resolve("hostile.sh"),
        """
        exec 3<>/dev/tcp/127.0.0.1/$(cat port)
        printf 'POST /api/v1/tickets/%s/approve HTTP/1.0\\r\\n' $(cat victim) >&3
        printf 'Host: localhost\\r\\nContent-Type: application/json\\r\\n' >&3
        printf 'Content-Length: 13\\r\\n\\r\\n{"by": "ceo"}' >&3
        read -r version status words <&3
        echo "{\\"status\\": $status}"
        """);
    long victim = rows.enqueue("reviewed", "default");
    rows.awaitState(victim, "needs_review");
    String token = Files.readString(directory.resolve(".holdfast/token")).strip();
    Files.writeString(directory.resolve("victim"), "" + victim);
    Files.writeString(directory.resolve("port"), "" + worker.request("/").build().uri().getPort());
    long hostile = rows.enqueue("hostile", "default");
    rows.awaitState(hostile, "done");

    assertThat(rows.of(hostile, "result ->> 'status'")).isEqualTo("401");
    assertThat(rows.of(victim, "state")).isEqualTo("needs_review");
    assertThat(Files.readString(directory.resolve("environment"))).doesNotContain(token);
    assertThat(worker.toString()).doesNotContain(token);
    assertThat(
            PosixFilePermissions.toString(
                Files.getPosixFilePermissions(directory.resolve(".holdfast/token"))))
        .isEqualTo("rw-------");

    HttpRequest approve =
        worker
            .request("/api/v1/tickets/" + victim + "/approve")
            .header("Content-Type", "application/json")
            .POST(HttpRequest.BodyPublishers.ofString("{}"))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      assertThat(http.send(approve, BodyHandlers.ofString()).statusCode()).isEqualTo(200);
    }
    assertThat(rows.value(CHANNEL, victim)).isEqualTo(System.getProperty("user.name") + " api");
  }

  @Test
  @DisplayName(
      "a command child cannot approve a ticket as ceo: it has no token, and is given none; each"
          + " start makes a token; who starts beside it shares it, and the command line needs none")
  void authority(TestDatabase database, @TempDir Path directory) throws Exception {
    TicketRows rows = new TicketRows(database.dataSource());
    Path file = directory.resolve(".holdfast/token");
    try (Installation holdfast = Installation.on(database, directory)) {
      HoldfastProcess first = holdfast.start("worker", "--port", "0").awaitConsole();
      child(first, rows, directory);
      String token = Files.readString(file);
      HoldfastProcess second = holdfast.start("worker", "--port", "0").awaitConsole();
      assertThat(Files.readString(file)).isEqualTo(token);
      assertThat(first.status("/api/v1/tickets")).isEqualTo(200);
      assertThat(second.status("/api/v1/tickets")).isEqualTo(200);
      long id = Long.parseLong(holdfast.ok("enqueue", "--kind", "nobody-works-it"));
      holdfast.ok("cancel", "" + id, "--reason", "no longer");
      assertThat(rows.value(CHANNEL, id)).isEqualTo(System.getProperty("user.name") + " cli");
      first.close();
      second.close();
      HoldfastProcess third = holdfast.start("worker", "--port", "0").awaitConsole();
      assertThat(Files.readString(file)).isNotEqualTo(token);
      assertThat(third.status("/api/v1/tickets")).isEqualTo(200);
      assertThat(third.status("/health/live")).isEqualTo(200);
    }
  }

  private static final String CHANNEL =
      "SELECT actor || ' ' || channel FROM holdfast.ticket_activity WHERE ticket_id = ? AND action"
          + " IN ('approved', 'cancelled')";
}
