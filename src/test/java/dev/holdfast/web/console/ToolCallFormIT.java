package dev.holdfast.web.console;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.session.approval.ApprovalStore;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TestQueue;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.ConsoleServer;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The form that approves a tool call, with arguments that somebody may have changed. */
@WithDatabase
class ToolCallFormIT {
  private final TicketDatabase database;
  private final TestQueue queue;
  @AutoClose private final ConsoleServer server;
  @AutoClose private final ConsoleVisitor visitor;

  ToolCallFormIT(TestDatabase database) {
    this.database = new TicketDatabase(database);
    this.queue = TestQueue.on(this.database);
    this.server = ConsoleServer.open(database.dataSource());
    this.visitor = new ConsoleVisitor(server);
  }

  private String approve(String asked, String written) throws Exception {
    long id = queue.park(new ApprovalStore.Asked(1, 1, "c1", "pay", asked, "", "h"));
    long call = database.number("SELECT id FROM holdfast.tool_approvals WHERE ticket_id = ?", id);
    String arguments = URLEncoder.encode(written, StandardCharsets.UTF_8);
    String page =
        visitor.post(
            "/tickets/" + id + "/decide-call",
            "do=approve&call=" + call + "&arguments=" + arguments);
    database.run("SELECT holdfast.cancel_ticket(?, 'ann')", id);
    if (!page.contains("Approved pay")) {
      return page.replaceAll("(?s).*id=\"notice\"", "").substring(0, 300);
    }
    return String.valueOf(
        database.value(
            "SELECT edited_arguments::text FROM holdfast.tool_approvals WHERE id = ?", call));
  }

  @Test
  @DisplayName(
      "5.4: the arguments of a tool call that somebody changes keep the digits of their numbers")
  void digits() throws Exception {
    String asked = "{\"to\": \"ann\", \"wei\": 1234567890123456789.25}";
    assertThat(approve(asked, asked)).isEqualTo("null");
    assertThat(approve(asked, "{\"to\": \"bob\", \"wei\": 1234567890123456789.25}"))
        .isEqualTo("{\"to\": \"bob\", \"wei\": 1234567890123456789.25}");
    assertThat(approve(asked, "{\"to\": \"ann\", \"wei\": 1234567890123456789.75}"))
        .as("a change behind what a double holds")
        .isEqualTo("{\"to\": \"ann\", \"wei\": 1234567890123456789.75}");
    assertThat(approve(asked, "{\"wei\": 1e400}")).isEqualTo("{\"wei\": 1" + "0".repeat(400) + "}");
    assertThat(approve(asked, "{\"wei\": 1e99999999999}")).contains("beyond all bounds");
  }
}
