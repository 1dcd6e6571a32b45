package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketFeeds;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

@WithDatabase
@Timeout(120)
class EventsIT {
  private static final JsonMapper JSON = new JsonMapper();
  private static final Duration HEARTBEAT = Duration.ofMillis(200);

  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final HikariDataSource pool;
  private final WebPorts ports;
  @AutoClose private final EventHub hub;
  @AutoClose private final WebServer server;

  EventsIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(4);
    this.ports = WebFixture.ports(pool);
    this.hub = new EventHub(ports.feeds(), Sleeper.REAL);
    this.server = server(hub);
  }

  private static WebServer server(EventHub hub) {
    return WebFixture.server(WebFixture.local("me"), new EventRoutes(hub, HEARTBEAT));
  }

  private record Told(String id, String event, JsonNode data) {}

  /** A browser. */
  private static final class Browser implements AutoCloseable {
    private final Socket socket;
    private final BufferedReader in;

    Browser(WebServer server, String query, @Nullable String last) throws IOException {
      socket = new Socket("127.0.0.1", server.port());
      socket.setSoTimeout(20_000);
      String request =
          "GET /api/v1/events"
              + query
              + " HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer "
              + WebFixture.LOCAL
              + "\r\n"
              + (last == null ? "" : "Last-Event-ID: " + last + "\r\n")
              + "\r\n";
      socket.getOutputStream().write(request.getBytes(StandardCharsets.US_ASCII));
      in =
          new BufferedReader(
              new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8));
      assertThat(in.readLine()).contains("200");
      until(": hello");
    }

    /** With which the stream begins. */
    String id() throws IOException {
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("id: ")) {
          return line.substring(4);
        }
      }
      throw new AssertionError("the stream ended");
    }

    void until(String start) throws IOException {
      for (String line = in.readLine(); !String.valueOf(line).startsWith(start); ) {
        assertThat(line).as("the stream ended").isNotNull();
        line = in.readLine();
      }
    }

    Told next() throws IOException {
      String id = "";
      String event = "";
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (line.startsWith("id: ")) {
          id = line.substring(4);
        } else if (line.startsWith("event: ")) {
          event = line.substring(7);
        } else if (line.startsWith("data: ")) {
          return new Told(id, event, JSON.readTree(line.substring(6)));
        }
      }
      throw new AssertionError("the stream ended");
    }

    List<Told> next(int count) throws IOException {
      List<Told> all = new ArrayList<>();
      while (all.size() < count) {
        all.add(next());
      }
      return all;
    }

    @Override
    public void close() throws IOException {
      socket.close();
    }
  }

  private static List<Long> tickets(List<Told> told) {
    return told.stream().map(each -> each.data.get("ticket_id").asLong()).toList();
  }

  @Test
  @DisplayName("what happens to tickets is told in order, each with a key and an id")
  void told() throws Exception {
    try (Browser keep = new Browser(server, "", null)) {
      try (Browser browser = new Browser(server, "", null)) {
        long id = queue.enqueue();
        queue.succeed(
            id,
            queue.claim(5).stream()
                .filter(t -> t.id() == id)
                .findFirst()
                .orElseThrow()
                .lease()
                .no());
        List<Told> told = new ArrayList<>();
        while (told.size() < 3) {
          Told next = browser.next();
          if (next.data.get("ticket_id").asLong() == id) {
            told.add(next);
          }
        }
        assertThat(told.stream().map(Told::event))
            .containsExactly("created", "claimed", "succeeded");
        assertThat(told.stream().map(each -> each.data.get("key").asString()))
            .doesNotHaveDuplicates();
      }
      assertThat(keep.next()).isNotNull();
    }
  }

  @Test
  @DisplayName("with named=false events have no names of their own, and are the same otherwise")
  void unnamed() throws Exception {
    long id = queue.enqueue();
    try (Browser named = new Browser(server, "?named=true&ticket=" + id, null);
        Browser unnamed = new Browser(server, "?named=false&ticket=" + id, null)) {
      database.run("SELECT holdfast.assign_ticket(?, 'a', 'me')", id);
      Told told = named.next();
      assertThat(told.event).isEqualTo("assigned");
      assertThat(unnamed.next()).isEqualTo(new Told(told.id, "", told.data));
    }
  }

  @Test
  @DisplayName("who comes back is told exactly what they missed, from this server or another one")
  void resumed() throws Exception {
    try (Browser keep = new Browser(server, "", null)) {
      Told last;
      long first = queue.enqueue();
      try (Browser browser = new Browser(server, "?ticket=" + first, null)) {
        database.run("SELECT holdfast.assign_ticket(?, 'a', 'me')", first);
        last = browser.next();
        while (!last.event.equals("assigned")) {
          last = browser.next();
        }
      }
      List<Long> missed = queue.enqueue(3);
      try (Browser back = new Browser(server, "", last.id)) {
        assertThat(tickets(back.next(3))).containsExactlyElementsOf(missed);
      }
      try (EventHub otherHub = new EventHub(ports.feeds(), Sleeper.REAL);
          WebServer other = server(otherHub);
          Browser elsewhere = new Browser(other, "", last.id)) {
        List<Long> told = new ArrayList<>();
        while (!told.containsAll(missed)) {
          told.add(elsewhere.next().data.get("ticket_id").asLong());
        }
        long later = queue.enqueue();
        while (elsewhere.next().data.get("ticket_id").asLong() != later) {
          assertThat(told.size()).isLessThan(100);
        }
      }
      assertThat(keep.next()).isNotNull();
    }
  }

  @Test
  @DisplayName("who lost the connection before anything was told is told what they missed")
  void resumedBeforeTheFirst() throws Exception {
    String start;
    try (Browser browser = new Browser(server, "", null)) {
      start = browser.id();
    }
    List<Long> missed = queue.enqueue(3);
    try (EventHub otherHub = new EventHub(ports.feeds(), Sleeper.REAL);
        WebServer other = server(otherHub);
        Browser back = new Browser(server, "", start);
        Browser elsewhere = new Browser(other, "", start)) {
      long later = queue.enqueue();
      for (Browser browser : List.of(back, elsewhere)) {
        List<Long> told = new ArrayList<>();
        while (!told.contains(later)) {
          told.add(browser.next().data.get("ticket_id").asLong());
        }
        assertThat(told).containsAll(missed);
      }
    }
  }

  @Test
  @DisplayName(
      "a stream that began late, as the database was away, has an id to come back with once it"
          + " begins")
  void resumedBehindAnOutage() throws Exception {
    CountDownLatch answers = new CountDownLatch(1);
    try (EventHub lateHub = new EventHub(late(answers), Sleeper.REAL);
        WebServer late = server(lateHub)) {
      Told reset;
      try (Browser browser = new Browser(late, "", null)) {
        answers.countDown();
        reset = browser.next();
      }
      assertThat(reset.event).isEqualTo("reset");
      assertThat(reset.id).isNotEmpty();
      long missed = queue.enqueue();
      try (Browser back = new Browser(server, "", reset.id)) {
        assertThat(back.next().data.get("ticket_id").asLong()).isEqualTo(missed);
      }
    }
  }

  private TicketFeeds late(CountDownLatch answers) {
    return new TicketFeeds() {
      @Override
      public TicketFeed open() {
        try {
          answers.await();
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
        return ports.feeds().open();
      }

      @Override
      public Optional<TicketFeed> openAt(String position) {
        return ports.feeds().openAt(position);
      }
    };
  }

  @Test
  @DisplayName("an id that is garbage or too long ago begins with a reset, not with an error")
  void reset() throws Exception {
    for (String last : List.of("garbage", "1.2.3.4.5~x", "9.9.9.9.9999999999999999~x", "~")) {
      try (Browser browser = new Browser(server, "", last)) {
        assertThat(browser.next().event).as(last).isEqualTo("reset");
      }
    }
  }

  @Test
  @DisplayName("a browser that went away is forgotten, and without any nothing is read")
  void noLeak() throws Exception {
    List<Browser> browsers = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      browsers.add(new Browser(server, "?ticket=1", null));
    }
    assertThat(hub.watchers()).isEqualTo(20);
    assertThat(pool.getHikariPoolMXBean().getTotalConnections()).isLessThanOrEqualTo(4);
    for (Browser browser : browsers) {
      browser.until(": still here");
      browser.close();
    }
    await().atMost(Duration.ofSeconds(60)).until(() -> hub.watchers() == 0);
    await().atMost(Duration.ofSeconds(60)).until(() -> !hub.isReading());
  }

  @Test
  @DisplayName("who watches takes no place from who asks, with a slash at the end of the path too")
  void takesNoPlace() throws Exception {
    List<Browser> browsers = new ArrayList<>();
    try (WebServer small =
        WebFixture.server(
            WebFixture.local("me").answeringAtOnce(4), new EventRoutes(hub, HEARTBEAT))) {
      for (int i = 0; i < 5; i++) {
        browsers.add(new Browser(small, "/", null));
      }
      assertThat(hub.watchers()).isEqualTo(5);
    } finally {
      for (Browser browser : browsers) {
        browser.close();
      }
    }
  }

  @Test
  @DisplayName("the end of the server ends the streams at once")
  void closed() throws Exception {
    try (EventHub ending = new EventHub(ports.feeds(), Sleeper.REAL);
        WebServer other = server(ending);
        Browser browser = new Browser(other, "", null)) {
      ending.close();
      while (browser.in.readLine() != null) {
        assertThat(ending.watchers()).isLessThan(2);
      }
    }
  }
}
