package dev.holdfast.handler.repair;

import dev.holdfast.repair.trace.Trace;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.session.event.SessionEvent;
import java.util.List;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * A trace whose events are in the ticket's live stream too.
 *
 * @param steps hears of the steps
 * @param leaseNo of the attempt
 */
record LiveTrace(Trace trace, EventSink events, Steps steps, long ticketId, long leaseNo)
    implements Trace {
  @Override
  public Runnable working(String step) {
    return steps.begin(step);
  }

  @Override
  public void begin(List<JsonNode> earlier) {
    trace.begin(earlier);
  }

  @Override
  public void append(List<JsonNode> more) {
    trace.append(more);
    for (JsonNode event : more) {
      if (event.path("payload") instanceof ObjectNode payload) {
        events.on(
            ticketId,
            leaseNo,
            new SessionEvent.Traced(event.path("type").asString(), payload.deepCopy()));
      }
    }
  }
}
