package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.testing.ModelReply;
import dev.holdfast.testing.ModelRequest;
import dev.holdfast.testing.RawModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** An outage of a provider as people meet it, whose worker has the default settings but times. */
@Tag("slow")
@WithDatabase
@Timeout(180)
class OutageIT {
  private static final String REPORT = "{\"status\": \"success\", \"content\": \"done\"}";
  private static final String OUT = "\"dev.holdfast.provider.outage\"";
  private static final String OVER = "\"dev.holdfast.provider.answers\"";
  private static final String HELD = "\"dev.holdfast.ticket.held\"";
  private static final String TRIALS =
      "SELECT count(*)::text FROM holdfast.ticket_activity WHERE action = 'released'";

  private final TicketRows rows;
  @AutoClose private final NoticeReceiver receiver = new NoticeReceiver();
  private volatile boolean out = true;
  @AutoClose private final RawModelServer models = RawModelServer.start(this::answer);
  @AutoClose private final Installation holdfast;

  OutageIT(TestDatabase database, @TempDir Path directory) throws IOException {
    rows = new TicketRows(database.dataSource());
    holdfast =
        Installation.on(database, directory)
            .with("OPENAI_API_KEY", "sk-key")
            .with("HOLDFAST_PROVIDERS_OPENAI_BASE_URL", models.url() + "/v1")
            .with("HOLDFAST_WEBHOOKS_URL", receiver.url())
            .with("HOLDFAST_WEBHOOKS_GROUP_WAIT", "0s")
            .with("HOLDFAST_WEBHOOKS_SECRET", "a-secret-of-the-webhook")
            .with("HOLDFAST_COOLDOWN_POLL_INTERVAL", "50ms")
            .with("HOLDFAST_COOLDOWN_BASE_DELAY", "200ms")
            .with("HOLDFAST_COOLDOWN_MAX_DELAY", "500ms")
            .with("HOLDFAST_COOLDOWN_SPREAD", "0")
            .with("HOLDFAST_COOLDOWN_WAIT_IN_SESSION", "0s")
            .with("HOLDFAST_COOLDOWN_NOTICE_AFTER", "1s")
            .with("HOLDFAST_COOLDOWN_HOLD_AFTER", "3s");
  }

  private void answer(ModelRequest request, Socket to) throws IOException, InterruptedException {
    if (out) {
      Fault.UNAVAILABLE.answer(request, to);
    } else {
      RawModelServer.stream(
          to, request, ModelReply.calls(new ToolCall("call_1", "agent__final_report", REPORT)), 99);
    }
  }

  @Test
  @DisplayName(
      "B56, issue 19: a real worker tells an outage once by the webhook and on the console's pages,"
          + " holds what waits, tells the end, and lets all of it go")
  void outage() throws Exception {
    HoldfastProcess worker = holdfast.start("worker", "--port", "0").awaitListening();
    worker.awaitConsole();
    rows.column(
        "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES ('ask', 1, 'agent',"
            + " '{\"kind\": \"agent\", \"review\": \"none\", \"targets\": [{\"provider\":"
            + " \"openai\", \"model\": \"m\"}]}')");
    List<Long> ids = List.of(rows.enqueue("ask", "a"), rows.enqueue("ask", "b"));

    TicketRows.await("the outage is told").until(() -> told(OUT) == 1);
    assertThat(page(worker)).contains("openai has not answered since ").contains("HTTP 503");
    TicketRows.await("the tickets are held").until(() -> told(HELD) >= ids.size());
    assertThat(receiver.deliveries())
        .anyMatch(each -> each.body().contains("provider_unavailable: openai"));
    TicketRows.await("some have tried in vain")
        .until(() -> Integer.parseInt(rows.column(TRIALS).getFirst()) >= 4);
    assertThat(told(OVER)).isZero();

    out = false;
    for (long id : ids) {
      rows.awaitState(id, "done");
      assertThat(rows.of(id, "retry_count")).isEqualTo("0");
    }
    TicketRows.await("the end is told").until(() -> told(OVER) == 1);
    assertThat(told(OUT)).as("told once").isEqualTo(1);
    assertThat(told(HELD)).as("each hold is told once").isEqualTo(ids.size());
    TicketRows.await("the banner is gone")
        .untilAsserted(() -> assertThat(page(worker)).doesNotContain("has not answered"));
  }

  private long told(String type) {
    return receiver.deliveries().stream().filter(each -> each.body().contains(type)).count();
  }

  private static String page(HoldfastProcess worker) throws IOException, InterruptedException {
    var answer = worker.get("/tickets");
    assertThat(answer.statusCode()).isEqualTo(200);
    assertThat(answer.body()).contains("id=\"outages\"");
    return answer.body();
  }
}
