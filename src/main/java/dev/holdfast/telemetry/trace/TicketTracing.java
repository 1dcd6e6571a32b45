package dev.holdfast.telemetry.trace;

import dev.holdfast.queue.Finish;
import dev.holdfast.queue.read.TraceParents;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Design;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.worker.Tracing;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes a span for each claim, and one for each attempt below the span that enqueued its ticket. So
 * all attempts of a ticket, in whatever worker, are in one trace. An attempt links to the claim
 * that brought it. Thread-safe.
 *
 * @param sessions the sessions, whose turns end with their attempt
 */
public record TicketTracing(
    Tracer tracer, TraceParents parents, SessionTracing sessions, InstantSource clock)
    implements Tracing {
  private static final Logger log = LoggerFactory.getLogger(TicketTracing.class);

  /** The largest number of links; the SDK keeps no more. */
  private static final int MOST_LINKS = 128;

  private static final AttributeKey<Long> BATCH =
      AttributeKey.longKey("messaging.batch.message_count");
  private static final AttributeKey<String> ID = AttributeKey.stringKey("messaging.message.id");
  private static final AttributeKey<String> QUEUE =
      AttributeKey.stringKey("messaging.destination.name");
  private static final AttributeKey<String> OPERATION =
      AttributeKey.stringKey("messaging.operation.name");
  private static final AttributeKey<String> TYPE =
      AttributeKey.stringKey("messaging.operation.type");
  private static final AttributeKey<String> SYSTEM = AttributeKey.stringKey("messaging.system");
  private static final AttributeKey<String> WORKER = AttributeKey.stringKey("messaging.client.id");
  private static final AttributeKey<Long> TICKET = AttributeKey.longKey("holdfast.ticket.id");
  private static final AttributeKey<String> KIND = AttributeKey.stringKey("holdfast.ticket.kind");
  private static final AttributeKey<String> DESIGN = AttributeKey.stringKey("holdfast.design");
  private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("holdfast.attempt");
  private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("holdfast.outcome");
  private static final AttributeKey<String> ERROR = AttributeKey.stringKey("error.type");
  private static final AttributeKey<String> RULE = AttributeKey.stringKey("holdfast.error.rule");
  private static final AttributeKey<String> FINGERPRINT =
      AttributeKey.stringKey("holdfast.error.fingerprint");

  static SpanBuilder withOperation(SpanBuilder span, String name, String type) {
    return span.setAttribute(SYSTEM, "holdfast")
        .setAttribute(OPERATION, name)
        .setAttribute(TYPE, type);
  }

  static void tell(Span span, String queue, long ticketId) {
    span.setAttribute(QUEUE, queue)
        .setAttribute(ID, Long.toString(ticketId))
        .setAttribute(TICKET, ticketId);
  }

  @Override
  public Claim claimed(List<ClaimedTicket> tickets, long startedNanos) {
    Instant began = clock.instant().minusNanos(System.nanoTime() - startedNanos);
    Map<Long, String> enqueued = parentsOf(tickets);
    SpanBuilder span =
        withOperation(tracer.spanBuilder("claim"), "claim", "receive")
            .setNoParent()
            .setSpanKind(SpanKind.CLIENT)
            .setStartTimestamp(began)
            .setAttribute(WORKER, tickets.getFirst().lease().workerId())
            .setAttribute(BATCH, (long) tickets.size());
    enqueued.values().stream().limit(MOST_LINKS).map(TraceParent::parse).forEach(span::addLink);
    Span claim = span.startSpan();
    claim.end();
    return ticket -> begin(ticket, TraceParent.parse(enqueued.get(ticket.id())), claim);
  }

  private Map<Long, String> parentsOf(List<ClaimedTicket> tickets) {
    try {
      return parents.of(tickets.stream().map(ClaimedTicket::id).toList());
    } catch (HoldfastException e) {
      log.warn("attempts are not linked to who enqueued their tickets: {}", e.getMessage());
      return Map.of();
    }
  }

  private Attempt begin(ClaimedTicket ticket, SpanContext enqueued, Span claim) {
    String what = ticket.design().map(Design::name).orElse(ticket.ticket().kind());
    SpanBuilder builder =
        withOperation(tracer.spanBuilder("attempt " + what), "attempt", "process")
            .setSpanKind(SpanKind.CONSUMER)
            .addLink(claim.getSpanContext())
            .setAllAttributes(GenAi.agent(ticket))
            .setAttribute(WORKER, ticket.lease().workerId())
            .setAttribute(KIND, ticket.ticket().kind())
            .setAttribute(ATTEMPT, (long) ticket.attempt());
    ticket.design().ifPresent(design -> builder.setAttribute(DESIGN, design.name()));
    Span span =
        enqueued.isValid()
            ? builder.setParent(SpanMarks.under(enqueued)).startSpan()
            : TicketIds.start(builder, ticket.ticket());
    tell(span, ticket.ticket().queue(), ticket.id());
    SpanMarks.set(span.getSpanContext());
    return new Running(span);
  }

  private final class Running implements Attempt {
    private final Span span;

    Running(Span span) {
      this.span = span;
    }

    @Override
    public void end(Finish finish) {
      sessions.over(span.getSpanContext().getSpanId());
      span.setAttribute(
          OUTCOME,
          switch (finish) {
            case Finish.Succeeded succeeded -> "succeeded";
            case Finish.Failed failed -> "failed";
            case Finish.Advanced advanced -> "advanced";
            case Finish.Parked parked -> "waits_for_a_person";
            case Finish.Deferred deferred -> "deferred";
            case Finish.GivenBack givenBack -> "given_back";
          });
      if (finish instanceof Finish.Failed failed) {
        span.setAttribute(ERROR, failed.failure().category().wireName())
            .setAttribute(RULE, failed.failure().rule())
            .setAttribute(FINGERPRINT, failed.failure().fingerprint())
            .setStatus(StatusCode.ERROR, failed.failure().title());
      }
      span.end();
    }

    @Override
    public Optional<String> traceparent() {
      return Optional.of(TraceParent.of(span.getSpanContext()));
    }
  }

  /** Returns the parent of the spans of a program of ours that was started under a trace. */
  static Context remote(SpanContext parent) {
    return parent.isValid() ? SpanMarks.under(parent) : Context.root();
  }
}
