package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpRequest;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/**
 * A working worker with a small heap is asked for the largest pages of large tickets and for
 * searches, by clients of which many never read an answer and many watch events.
 */
final class HostileViewersCell implements Cell {
  private static final int LARGE_TICKETS = 100;
  private static final int LARGE_BYTES = 900_000;
  private static final int ASKING = 24;
  private static final int NOT_READING = 40;
  private static final int WATCHING = 150;
  private static final String LARGEST = "/api/v1/tickets?limit=500&state=on_hold";
  private static final List<String> PAGES =
      List.of(LARGEST, "/api/v1/tickets?text=nowhere", "/tickets?state=on_hold", "/metrics");

  private int answered;

  @Override
  public int workers() {
    return 0;
  }

  @Override
  public void prepare(Chaos chaos) throws Exception {
    chaos.database.column(
        "SELECT holdfast.hold_ticket(holdfast.enqueue_ticket(design => 'quick', payload =>"
            + " jsonb_build_object('n', n, 'text', repeat('x', ?))), 'chaos', 'large') FROM"
            + " generate_series(1, ?) n",
        LARGE_BYTES,
        LARGE_TICKETS);
    chaos.holdfast.with("JAVA_TOOL_OPTIONS", "-Xmx256m");
    chaos.crew.begin().awaitConsole();
  }

  @Override
  public void rage(Chaos chaos) throws Exception {
    HoldfastProcess worker = chaos.crew.workers().getFirst();
    Instant end = chaos.end();
    List<Socket> open = new ArrayList<>();
    try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      for (int i = 0; i < NOT_READING + WATCHING; i++) {
        open.add(ask(worker, i < NOT_READING ? LARGEST : "/api/v1/events"));
      }
      List<Callable<Integer>> asking = new ArrayList<>();
      for (int i = 0; i < ASKING; i++) {
        String page = PAGES.get(i % PAGES.size());
        asking.add(() -> look(worker, page, end));
      }
      for (Future<Integer> each : threads.invokeAll(asking)) {
        answered += each.get();
      }
    } finally {
      for (Socket each : open) {
        each.close();
      }
    }
  }

  /** And never reads a byte. */
  private static Socket ask(HoldfastProcess worker, String path) throws Exception {
    URI address = worker.address();
    Socket socket = new Socket(address.getHost(), address.getPort());
    HttpRequest request = worker.request(path).build();
    String token = request.headers().firstValue("Authorization").orElseThrow();
    socket
        .getOutputStream()
        .write(
            "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\n\r\n"
                .formatted(path, address.getAuthority(), token)
                .getBytes(StandardCharsets.US_ASCII));
    return socket;
  }

  private static int look(HoldfastProcess at, String page, Instant end)
      throws IOException, InterruptedException {
    int answers = 0;
    for (; Instant.now().isBefore(end); answers++) {
      assertThat(at.sendGet(page).join().statusCode()).as(page).isIn(200, 429, 503);
    }
    return answers;
  }

  @Override
  public double goesOn() {
    return 0.4;
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(answered).isPositive();
    assertThat(chaos.crew.workers()).allMatch(HoldfastProcess::isAlive);
    assertThat(
            chaos.database.number(
                "SELECT count(*) FROM holdfast.ticket_attempts WHERE outcome <> 'succeeded'"))
        .as("attempts that did not succeed")
        .isZero();
  }
}
