package dev.holdfast.web;

import dev.holdfast.queue.Expiry;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.NewTicket.Following;
import dev.holdfast.queue.NewTicket.Following.OnCancelled;
import dev.holdfast.queue.TicketInbox.Accepted;
import dev.holdfast.queue.Uniqueness;
import dev.holdfast.queue.read.TicketSummary;
import dev.holdfast.retry.DurationText;
import io.javalin.http.Context;
import io.javalin.http.Handler;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * {@code POST /api/v1/tickets}. If it is sent again with the same {@code Idempotency-Key} within 24
 * hours, it answers with the ticket of the first time.
 */
record CreateRoute(WebPorts ports) implements Handler {
  /** The fields as {@code holdfast enqueue} has them. */
  record Body(
      @Nullable String design,
      @Nullable String kind,
      @Nullable String title,
      @Nullable JsonNode payload,
      @Nullable String queue,
      @Nullable Integer priority,
      @Nullable String delay,
      @Nullable String runAt,
      @Nullable String uniqueKey,
      @Nullable BigDecimal maxCostUsd,
      @Nullable JsonNode after,
      @Nullable String expires,
      @Nullable String concurrencyKey,
      @Nullable String fairnessKey,
      @Nullable String uniqueFor,
      @Nullable String onDuplicate,
      @Nullable Long batchId,
      @Nullable Long afterBatch,
      @Nullable String by,
      @Nullable String name,
      @Nullable String onCancelled) {}

  @Override
  public void handle(Context context) {
    Body body = Requests.body(context, Body.class);
    Visitor visitor = Visitor.of(context);
    if (body.name != null) {
      throw new Refused(
          422, "name: only the tickets of a graph have names; post them to /api/v1/graphs");
    }
    NewTicket ticket = ticket(body).withTraceparent(traceparent(context));
    Accepted accepted =
        ports
            .inbox()
            .accept(ticket, visitor.actor(body.by), IdempotencyKey.of(context, context.body()));
    context.header("Location", TicketRoutes.LIST + "/" + accepted.ticketId());
    TicketSummary row =
        ports
            .tickets()
            .summary(accepted.ticketId())
            .orElseThrow(() -> new Refused(404, "the ticket of this key is gone"));
    context.header("ETag", Seen.etag(row.version()));
    Answers.json(context, accepted.created() ? 201 : 200, TicketJson.summary(row));
  }

  /** Makes the ticket that {@code POST /api/v1/tickets} reads. */
  static NewTicket ticket(Body body) {
    return ticket(body, After.of(body.after, body.onCancelled));
  }

  static NewTicket ticket(Body body, After after) {
    NewTicket ticket =
        new NewTicket(
            body.design,
            body.kind,
            body.title,
            body.payload == null ? "{}" : Bodies.json(body.payload),
            body.queue == null ? "default" : body.queue,
            body.priority == null ? 0 : body.priority,
            Requests.duration("delay", body.delay),
            Requests.time("run_at", body.runAt),
            body.uniqueKey,
            body.maxCostUsd,
            List.of(),
            expiry(body.expires),
            body.concurrencyKey,
            body.fairnessKey,
            uniqueness(body),
            Following.DEFAULT,
            null,
            body.batchId,
            body.afterBatch);
    if (ticket.delay() != null && ticket.runAt() != null) {
      throw new Refused(422, "delay and run_at exclude each other");
    }
    return after.with(ticket);
  }

  /** Returns the caller's trace. An invalid one is ignored, as W3C Trace Context says. */
  private static @Nullable String traceparent(Context context) {
    String header = context.header("traceparent");
    return header != null && NewTicket.isTraceparent(header) ? header : null;
  }

  /** Reads a time, or how long from now. */
  private static @Nullable Expiry expiry(@Nullable String text) {
    if (text == null) {
      return null;
    }
    try {
      return text.contains("-")
          ? new Expiry.At(Objects.requireNonNull(Requests.time("expires", text)))
          : new Expiry.In(DurationText.parse(text));
    } catch (IllegalArgumentException e) {
      throw new Refused(422, "expires: " + e.getMessage());
    }
  }

  private static Uniqueness uniqueness(Body body) {
    try {
      boolean named = "open".equals(body.uniqueFor) || "ever".equals(body.uniqueFor);
      Duration time = body.uniqueFor == null || named ? null : DurationText.parse(body.uniqueFor);
      return Uniqueness.of(body.uniqueFor, time, body.onDuplicate);
    } catch (IllegalArgumentException e) {
      throw new Refused(422, "unique_for, on_duplicate: " + e.getMessage());
    }
  }

  /**
   * The tickets that a new one waits for: {@code [17, 18]}, {@code {"fetch": 17}} to get results,
   * {@code [17, {"clean": 18}]} for both, in a graph also {@code ["fetch", 17]}.
   *
   * @param names the names of tickets of the same graph
   */
  record After(List<Long> ids, List<String> names, Following following) {
    /** Reads the fields {@code after} and {@code on_cancelled} of a body. */
    static After of(@Nullable JsonNode after, @Nullable String onCancelled) {
      List<Long> ids = new ArrayList<>();
      List<String> names = new ArrayList<>();
      Map<Long, String> results = new HashMap<>();
      if (after != null && after.isObject()) {
        named(after, ids, results);
      } else if (after != null && after.isArray()) {
        for (JsonNode each : after) {
          if (each.isString()) {
            names.add(each.stringValue());
          } else if (each.isObject()) {
            named(each, ids, results);
          } else {
            ids.add(id(each));
          }
        }
      } else if (after != null && !after.isNull()) {
        throw refused();
      }
      return new After(ids, names, new Following(results, policy(onCancelled)));
    }

    private static void named(JsonNode object, List<Long> ids, Map<Long, String> results) {
      object.forEachEntry(
          (name, id) -> {
            ids.add(id(id));
            Following.name(results, id(id), name);
          });
    }

    private static long id(JsonNode node) {
      if (!node.isIntegralNumber() || !node.canConvertToLong()) {
        throw refused();
      }
      return node.asLong();
    }

    private static Refused refused() {
      return new Refused(
          422,
          "after: a list of ids, [17, 18], or ids by the names of their results, {\"fetch\": 17}");
    }

    private static OnCancelled policy(@Nullable String text) {
      if (text == null) {
        return OnCancelled.HOLD;
      }
      return Arrays.stream(OnCancelled.values())
          .filter(each -> each.wireName().equals(text))
          .findFirst()
          .orElseThrow(() -> new Refused(422, "on_cancelled: one of hold, cancel, run"));
    }

    /** Adds them to a ticket by itself, which cannot wait for names. */
    NewTicket with(NewTicket ticket) {
      if (!names.isEmpty()) {
        throw refused();
      }
      return ticket.withAfter(ids).withFollowing(following);
    }
  }
}
