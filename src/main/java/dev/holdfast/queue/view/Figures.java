package dev.holdfast.queue.view;

import java.time.Instant;
import java.util.List;

/**
 * The events in a window of time, span by span; a span without events is left out.
 *
 * @param from when the first span begins
 * @param countedUntil what happened later is not counted yet
 * @param flow succeeded and failed attempts of the 30 queues with most of them
 */
public record Figures(
    FigureWindow window,
    Instant from,
    Instant countedUntil,
    List<EventFigure> events,
    List<Flow> flow,
    List<ModelFigure> models) {
  public Figures {
    events = List.copyOf(events);
    flow = List.copyOf(flow);
    models = List.copyOf(models);
  }
}
