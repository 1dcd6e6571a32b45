package dev.holdfast.web;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ApiClient.Answer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The connection of a caller is cut after the request was sent and before the answer was read. */
@WithDatabase
@Timeout(120)
class LostAnswersIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final HikariDataSource pool;
  @AutoClose private final WebServer server;
  @AutoClose private final ApiClient ann;

  LostAnswersIT(TestDatabase testDatabase) {
    this.database = new TicketDatabase(testDatabase);
    this.queue = TestQueue.on(database);
    this.pool = database.pool(4);
    this.server = WebFixture.server(pool);
    this.ann = new ApiClient(server.port(), WebFixture.ANN);
  }

  /**
   * @param count of what the request makes; 1 once it was done
   */
  private record Request(String path, String body, String count) {}

  private List<Request> requests() {
    long reviewed = queue.enqueue();
    queue.succeed(reviewed, queue.claim());
    long parked = queue.park(new ApprovalStore.Asked(1, 1, "c1", "send", "{}", "", "h"));
    long held = queue.enqueue();
    database.run("SELECT holdfast.hold_ticket(?, 'bob', 'look at it')", held);
    database.run(
        "SELECT holdfast.put_schedule('lost', 'ann', every => '1 h', kind => 'lost-run', next_at =>"
            + " now() + interval '1 day')");
    List<Request> all = new ArrayList<>();
    String tickets = "SELECT count(*) FROM holdfast.tickets WHERE kind = ";
    all.add(new Request("", "{\"kind\": \"lost\"}", tickets + "'lost'"));
    all.add(new Request("/" + reviewed + "/approve", "{}", done(reviewed, "approved")));
    all.add(
        new Request(
            "/" + parked + "/decide-call",
            "{\"decision\": \"approve\"}",
            done(parked, "call_approved")));
    all.add(new Request("/" + held + "/release", "{}", done(held, "released")));
    all.add(new Request("/../schedules/lost/run", "{}", tickets + "'lost-run'"));
    return all;
  }

  private static String done(long id, String action) {
    return "SELECT count(*) FROM holdfast.ticket_activity WHERE ticket_id = "
        + id
        + " AND action = '"
        + action
        + "'";
  }

  private static String path(Request request) {
    return ("/api/v1/tickets" + request.path()).replace("/tickets/..", "");
  }

  private void sendAndHangUp(Request request) throws IOException {
    byte[] body = request.body().getBytes(UTF_8);
    String head =
        """
        POST %s HTTP/1.1
        Host: localhost
        Authorization: Bearer %s
        Content-Type: application/json
        Idempotency-Key: %s
        Content-Length: %s

        """
            .formatted(path(request), WebFixture.ANN, request.path(), body.length)
            .replace("\n", "\r\n");
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), server.port())) {
      // A reset instead of an orderly end: nobody is there to read the answer.
      socket.setSoLinger(true, 0);
      socket.getOutputStream().write(head.replace("Key: \r\n", "Key: new\r\n").getBytes(UTF_8));
      socket.getOutputStream().write(body);
      socket.getOutputStream().flush();
      await("the deed").until(() -> database.number(request.count()) == 1);
    }
  }

  @Test
  @DisplayName(
      "issue 20, 1.7: who lost the answer to create, approve, decide-call, release or a schedule's"
          + " run asks again under the same Idempotency-Key, is answered, and nothing is done"
          + " twice")
  void lost() throws IOException {
    for (Request request : requests()) {
      assertThat(database.number(request.count())).as(request.path()).isZero();
      sendAndHangUp(request);
      String key = request.path().isEmpty() ? "new" : request.path();
      Answer again = ann.post(path(request), request.body(), "Idempotency-Key", key);
      assertThat(again.status()).as(again.toString()).isIn(200, 201);
      assertThat(again.json().has("id")).as(again.toString()).isTrue();
      assertThat(database.number(request.count())).as(request.path()).isEqualTo(1);
    }
  }

  @Test
  @DisplayName(
      "issue 20: a request under an Idempotency-Key of more than 24 hours ago is done anew, however"
          + " many keys are as old")
  void over() {
    List<Request> requests = requests();
    Request create = requests.getFirst();
    Request run = requests.getLast();
    long ready = queue.enqueue();
    Request hold =
        new Request("/" + ready + "/hold", "{\"reason\": \"wait\"}", done(ready, "held"));
    List.of(create, run, hold).forEach(this::sendWithKey);
    database.run("SELECT holdfast.release_ticket(?, 'bob')", ready);
    database.run("UPDATE holdfast.request_keys SET created_at = now() - interval '25 hours'");
    database.run(
        "INSERT INTO holdfast.request_keys (key, request_hash, created_at) SELECT g::text, '',"
            + " now() - interval '30 hours' FROM generate_series(1, 500) g");
    for (Request request : List.of(create, run, hold)) {
      long before = database.number(request.count());
      assertThat(sendWithKey(request).status()).as(request.path()).isIn(200, 201);
      assertThat(database.number(request.count())).as(request.path()).isEqualTo(before + 1);
    }
  }

  private Answer sendWithKey(Request request) {
    return ann.post(path(request), request.body(), "Idempotency-Key", "daily" + request.path());
  }
}
