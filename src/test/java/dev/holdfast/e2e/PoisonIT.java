package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.testing.PoisonPayload;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Content that once killed worker after worker, and small real workers that meet it. */
@Tag("slow")
@WithDatabase
@Timeout(240)
class PoisonIT {
  private static final int MOST_DEATHS = 3;
  private static final String CAUSE =
      "SELECT details ->> 'holdCause' FROM holdfast.ticket_activity WHERE ticket_id = ?";
  private static final String OPEN = "SELECT count(*) FROM holdfast.tickets WHERE state <> ?";

  private final TicketDatabase tickets;
  private final TicketRows rows;
  private final TestDatabase database;
  @TempDir private Path directory;

  PoisonIT(TestDatabase database) {
    this.database = database;
    this.tickets = new TicketDatabase(database);
    this.rows = new TicketRows(database.dataSource());
  }

  private static final String LENGTH_OF_RESULT =
      "SELECT octet_length(result::text) FROM holdfast.tickets WHERE id = ?";

  @Test
  @DisplayName(
      "20.1: poison is on hold by its name within three deaths of workers with 256 MB; innocents"
          + " are done with no retry and one attempt more at most, the list answers, and neither"
          + " HTTP nor the command line lets poison in, and a program's result none either")
  void smallWorkers() throws Exception {
    rows.addDesign("innocent", new Job(directory, "true", "none"));
    rows.addDesign("says", new Job(directory, "cat poison.json", "none"));
    List<Long> innocents = new ArrayList<>(List.of(rows.enqueue("says", "default")));
    for (int i = 0; i < 10; i++) {
      innocents.add(rows.enqueue("innocent", "default"));
    }
    long killer = PoisonPayload.smuggle(tickets, "command", PoisonPayload.KILLER);
    long unreadable = PoisonPayload.smuggle(tickets, "command", PoisonPayload.UNREADABLE);
    for (int i = 0; i < 10; i++) {
      innocents.add(rows.enqueue("innocent", "default"));
    }
    Files.writeString(directory.resolve("poison.json"), PoisonPayload.KILLER);
    try (Installation holdfast = Installation.on(database, directory)) {
      Outcome refused = holdfast.ask("enqueue", "--kind", "command", "--payload", "@poison.json");
      assertThat(refused.exit()).as(refused.toString()).isEqualTo(2);
      holdfast.with("JDK_JAVA_OPTIONS", "-Xmx256m -XX:+ExitOnOutOfMemoryError");
      holdfast.with("HOLDFAST_WORKER_LEASE", "3s");
      holdfast.with("HOLDFAST_WORKER_HEARTBEAT_INTERVAL", "500ms");
      holdfast.with("HOLDFAST_WORKER_RESCUE_INTERVAL", "500ms");
      HoldfastProcess worker = untilAllEnded(holdfast);

      for (long poison : new long[] {killer, unreadable}) {
        assertThat(rows.of(poison, "state")).isEqualTo("on_hold");
        assertThat(rows.column(CAUSE, poison)).contains("poison");
        assertThat(rows.of(poison, "error")).contains("payload");
      }
      for (long innocent : innocents) {
        assertThat(rows.of(innocent, "state || ' ' || retry_count")).isEqualTo("done 0");
        assertThat(rows.outcomes(innocent)).hasSizeLessThanOrEqualTo(2);
      }
      assertThat(worker.status("/api/v1/tickets?limit=500")).isEqualTo(200);
      assertThat(worker.status("/api/v1/tickets?text=1e13")).isEqualTo(200);
      assertThat(worker.status("/api/v1/tickets/" + killer)).isBetween(200, 499);
      assertThat(worker.status("/api/v1/tickets/" + unreadable)).isBetween(200, 499);
      for (String poison : List.of(PoisonPayload.KILLER, PoisonPayload.UNREADABLE)) {
        assertThat(post(worker, poison)).isBetween(400, 499);
      }
      assertThat(rows.column(LENGTH_OF_RESULT, innocents.getFirst()))
          .as("bytes of what a program said")
          .allSatisfy(length -> assertThat(Integer.parseInt(length)).isBetween(20_000, 40_000));
      assertThat(worker.status("/api/v1/tickets/" + innocents.getFirst())).isEqualTo(200);
      assertThat(worker.isAlive()).isTrue();
      assertThat(rows.value("SELECT count(*) FROM holdfast.tickets")).isEqualTo("23");
    }
  }

  /** Starts one worker after the other, as a supervisor does; returns the one that lives. */
  private HoldfastProcess untilAllEnded(Installation holdfast) throws Exception {
    HoldfastProcess worker = holdfast.start("worker", "--port", "0").awaitConsole();
    int deaths = 0;
    while (Integer.parseInt(rows.value(OPEN + " AND state <> 'on_hold'", "done")) > 0) {
      HoldfastProcess current = worker;
      TicketRows.await("all tickets have ended, or the worker has")
          .until(
              () ->
                  !current.isAlive()
                      || rows.value(OPEN + " AND state <> 'on_hold'", "done").equals("0"));
      if (!current.isAlive()) {
        deaths++;
        assertThat(deaths).as("deaths; the last: %s", current).isLessThanOrEqualTo(MOST_DEATHS);
        worker = holdfast.start("worker", "--port", "0").awaitConsole();
      }
    }
    return worker;
  }

  private static int post(HoldfastProcess worker, String payload) throws Exception {
    HttpRequest request =
        worker
            .request("/api/v1/tickets")
            .header("Content-Type", "application/json")
            .POST(
                HttpRequest.BodyPublishers.ofString(
                    "{\"kind\": \"command\", \"payload\": " + payload + "}"))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }
}
