package dev.holdfast.repair.trace;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A run in a line.
 *
 * @param at when it began
 * @param state {@code unfinished}, or the reason of its end
 * @param iterations of L2
 * @param escalations to L3
 * @param candidates that were generated
 * @param requests of models, each with its retries
 */
public record RunSummary(
    String run,
    long ticketId,
    String at,
    String state,
    int iterations,
    int escalations,
    int candidates,
    int requests) {

  /** Returns the runs in the order in which they began. */
  public static List<RunSummary> of(List<TraceEvent> events) {
    Map<String, RunSummary> runs = new LinkedHashMap<>();
    for (TraceEvent event : events) {
      runs.merge(
          event.run(),
          new RunSummary(event.run(), event.ticketId(), event.at(), "unfinished", 0, 0, 0, 0)
              .with(event),
          (known, first) -> known.with(event));
    }
    return new ArrayList<>(runs.values());
  }

  private RunSummary with(TraceEvent event) {
    return switch (event.type()) {
      case "RepairAttempted" ->
          with(
              state,
              Math.max(iterations, event.number("iteration")),
              escalations,
              candidates,
              requests);
      case "RunEscalated" -> with(state, iterations, escalations + 1, candidates, requests);
      case "CandidateGenerated" -> with(state, iterations, escalations, candidates + 1, requests);
      case "ProviderRequestFinished" ->
          event.isSentRequest()
              ? with(state, iterations, escalations, candidates, requests + 1)
              : this;
      case "RunStopped" ->
          with(event.text("reason"), iterations, escalations, candidates, requests);
      default -> this;
    };
  }

  private RunSummary with(
      String newState, int newIterations, int newEscalations, int newCandidates, int newRequests) {
    return new RunSummary(
        run, ticketId, at, newState, newIterations, newEscalations, newCandidates, newRequests);
  }
}
