package dev.holdfast.web;

import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.web.access.Role;
import io.javalin.http.Context;
import io.javalin.router.JavalinDefaultRoutingApi;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * {@code GET /api/v1/events}: what happens, as server-sent events. A browser that lost the
 * connection comes back with {@code Last-Event-ID} and gets what it missed. A comment now and then
 * finds out who is gone. After an hour everybody has to connect again, with a token that is still
 * valid.
 */
record EventRoutes(EventHub hub, Duration heartbeat) implements Routes {
  static final String PATH = "/api/v1/events";
  private static final Duration LONGEST = Duration.ofHours(1);

  /**
   * The characters that are written at once. For a visitor who does not read, only this part of a
   * burst stays in memory.
   */
  private static final int PIECE = 16_384;

  private static final Set<String> QUERY = Set.of("ticket", "named", "last_event_id");

  /** The data of an event. */
  record Data(
      String key,
      long ticketId,
      Instant at,
      String event,
      @Nullable String actor,
      @Nullable JsonNode details) {
    static Data of(TicketFeed.Event event) {
      TimelineEntry entry = event.entry();
      String details = entry.details();
      return new Data(
          event.key(),
          entry.ticketId(),
          entry.at(),
          entry.event(),
          entry.actor(),
          details == null ? null : Bodies.tree(details));
    }
  }

  @Override
  public void addTo(JavalinDefaultRoutingApi routes) {
    routes.get(PATH, this::stream, Role.VIEWER);
  }

  private void stream(Context context) throws InterruptedException {
    Requests.requireKnown(context, QUERY);
    boolean named = isNamed(context.queryParam("named"));
    String ticket = context.queryParam("ticket");
    Long ticketId = ticket == null ? null : Requests.id(ticket);
    String header = context.header("Last-Event-ID");
    String last = header == null ? context.queryParam("last_event_id") : header;
    String known = last == null || last.isBlank() ? null : last;
    try (EventStream events = hub.watch(Visitor.of(context).actor(), known, ticketId)) {
      // Proxies must pass on each event at once.
      context.contentType("text/event-stream; charset=utf-8").header("X-Accel-Buffering", "no");
      send(events, named, context.res().getOutputStream());
    } catch (IOException e) {
      // The visitor is gone, which is how every stream ends.
      context.skipRemainingHandlers();
    }
  }

  /**
   * Returns whether events have names. A browser must know the names it listens to; without names
   * it gets every event.
   */
  private static boolean isNamed(@Nullable String text) {
    if (text != null && !text.equals("true") && !text.equals("false")) {
      throw Refused.badRequest("named: true or false");
    }
    return !"false".equals(text);
  }

  private void send(EventStream events, boolean named, OutputStream out)
      throws IOException, InterruptedException {
    long end = System.nanoTime() + LONGEST.toNanos();
    write(out, "retry: 2000\n: hello\n\n");
    while (System.nanoTime() < end) {
      EventStream.Batch batch = events.take(heartbeat);
      if (batch.closed()) {
        return;
      }
      StringBuilder text = new StringBuilder();
      beginning(text, batch);
      for (TicketFeed.Event event : batch.events()) {
        append(text, event, named);
        if (text.length() > PIECE) {
          write(out, text.toString());
          text.setLength(0);
        }
      }
      write(out, isQuiet(batch) ? ": still here\n\n" : text.toString());
    }
  }

  private static void beginning(StringBuilder text, EventStream.Batch batch) {
    if (batch.id() != null) {
      text.append("id: ").append(batch.id()).append('\n');
    }
    if (batch.missed()) {
      text.append("event: reset\ndata: {}\n");
    }
    if (!text.isEmpty()) {
      text.append('\n');
    }
  }

  private static boolean isQuiet(EventStream.Batch batch) {
    return batch.id() == null && !batch.missed() && batch.events().isEmpty();
  }

  private static void append(StringBuilder text, TicketFeed.Event event, boolean named) {
    text.append("id: ").append(EventHub.idOf(event));
    if (named) {
      text.append("\nevent: ").append(event.entry().event().replaceAll("[\\r\\n]", " "));
    }
    text.append("\ndata: ").append(Bodies.json(Data.of(event))).append("\n\n");
  }

  private static void write(OutputStream out, String text) throws IOException {
    out.write(text.getBytes(StandardCharsets.UTF_8));
    out.flush();
  }
}
