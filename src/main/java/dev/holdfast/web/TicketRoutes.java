package dev.holdfast.web;

import dev.holdfast.queue.output.AttemptOutput;
import dev.holdfast.queue.read.TicketFilter;
import dev.holdfast.queue.read.TicketHistory;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.session.journal.JournalReader;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import tools.jackson.databind.node.ObjectNode;

/**
 * Routes that read tickets: the list in pages, one with its history, the transcript of its
 * sessions.
 */
final class TicketRoutes implements Routes {
  private static final Logger log = LoggerFactory.getLogger(TicketRoutes.class);
  static final String LIST = "/api/v1/tickets";
  static final String ONE = "/api/v1/tickets/{id}";

  private final TicketReader tickets;
  private final JournalReader journals;
  private final TicketJson json;

  TicketRoutes(WebPorts ports) {
    this.tickets = ports.tickets();
    this.journals = ports.journals();
    this.json = new TicketJson(tickets);
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get(LIST, this::list, Role.VIEWER);
    routes.get(ONE, Requests.plain(this::show), Role.VIEWER);
    routes.get(ONE + "/transcript", Requests.plain(this::transcript), Role.VIEWER);
    routes.get(ONE + "/attempts/{attempt}/output", Requests.plain(this::output), Role.VIEWER);
  }

  private void list(Context context) {
    TicketFilter filter = Requests.filter(context);
    List<TicketSummary> rows = tickets.summaries(filter);
    Map<String, @Nullable Object> page = new LinkedHashMap<>();
    page.put("tickets", TicketJson.summaries(rows));
    page.put("next", rows.size() < filter.limit() ? null : next(context, rows.getLast().id()));
    Answers.json(context, 200, page);
  }

  /** Returns the address of the next page: the same query, further on. */
  private static String next(Context context, long lastId) {
    Map<String, String> query = new LinkedHashMap<>();
    context.queryParamMap().forEach((name, values) -> query.put(name, values.getFirst()));
    query.put("before", "" + lastId);
    return LIST
        + query.entrySet().stream()
            .map(each -> each.getKey() + "=" + encode(each.getValue()))
            .collect(Collectors.joining("&", "?", ""));
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private void show(Context context) {
    TicketRow row = existing(Requests.id(context));
    ObjectNode ticket = json.whole(row);
    TicketHistory history = tickets.history(row.id());
    ticket.set("attempts", Bodies.tree(Bodies.json(history.attempts().rows())));
    ticket.set("activity", Bodies.tree(Bodies.json(history.timeline().rows())));
    ticket.set("guidance", Bodies.tree(Bodies.json(history.guidance().rows())));
    ticket.set(
        "left_out",
        Bodies.tree(
            Bodies.json(
                Map.of(
                    "attempts", history.attempts().older(),
                    "activity", history.timeline().older(),
                    "guidance", history.guidance().older(),
                    "tool_calls", history.toolCalls().older()))));
    ticket.set("tool_calls", Bodies.tree(Bodies.json(history.toolCalls().rows())));
    ticket.set("question", tickets.question(row.id()).map(Bodies::tree).orElse(null));
    context.header("ETag", Seen.etag(row.version()));
    Answers.json(context, 200, ticket);
  }

  private void transcript(Context context) {
    long id = existing(Requests.id(context)).id();
    context.status(200).contentType("application/json");
    Transcript transcript = new Transcript(context);
    try {
      journals.each(id, transcript::add);
      transcript.end();
    } catch (UncheckedIOException e) {
      log.debug("nobody reads the rest of the transcript of ticket {}", id, e);
    }
  }

  /**
   * A transcript that is written row by row: a session may be longer than the memory of a worker.
   */
  private static final class Transcript {
    private final Context context;
    private String before = "{\"entries\":[";

    Transcript(Context context) {
      this.context = context;
    }

    void add(JournalRow row) {
      write(before + Bodies.json(row));
      before = ",";
    }

    void end() {
      write(before.equals(",") ? "]}" : before + "]}");
    }

    private void write(String json) {
      try {
        context.outputStream().write(json.getBytes(StandardCharsets.UTF_8));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }
  }

  private void output(Context context) {
    long id = existing(Requests.id(context)).id();
    int attempt = Requests.attempt(context);
    AttemptOutput output =
        tickets
            .output(id, attempt)
            .orElseThrow(
                () ->
                    new NotFoundException(
                        "ticket %s has no attempt %s; see %s/%s".formatted(id, attempt, LIST, id)));
    Answers.json(context, 200, output.columns());
  }

  private TicketRow existing(long id) {
    return tickets
        .find(id)
        .orElseThrow(() -> new NotFoundException("there is no ticket " + id + "; see " + LIST));
  }
}
