package dev.holdfast.repair.trace;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The figures of the source's dashboard over a window of runs (E48), and which of its thresholds
 * are passed (E49). Rates are 0 to 1; of an empty window all are 0 (E50). Pure.
 *
 * @param runs that left an event; each begins in L2
 * @param requests of models; one with its retries is one
 * @param steps of L3
 * @param apiRetryRate requests with a retry
 * @param apiFailureRate requests that failed in the end
 * @param repairIterations the mean over the runs that repaired, of each its last iteration
 * @param escalationRate runs that went from L2 to L3
 * @param diagnosisRate diagnoses of each L3 step
 * @param diagnosesPerRun of all runs
 * @param judgementsPerRun of all runs
 * @param candidateValidity valid candidates of all
 */
public record RunStats(
    int runs,
    int requests,
    int steps,
    double apiRetryRate,
    double apiFailureRate,
    double repairIterations,
    double escalationRate,
    double diagnosisRate,
    double diagnosesPerRun,
    double judgementsPerRun,
    double candidateValidity) {

  /**
   * A threshold that is passed.
   *
   * @param figure its name in JSON
   */
  public record Alert(String figure, double value, double threshold, String message) {}

  static final double MAX_API_RETRY_RATE = 0.2;
  static final double MAX_ESCALATION_RATE = 0.3;
  static final double MAX_REPAIR_ITERATIONS = 3;
  static final double MAX_DIAGNOSIS_RATE = 0.1;

  public static RunStats of(List<TraceEvent> events) {
    Counter counter = new Counter();
    events.forEach(counter::add);
    return counter.stats();
  }

  /** Returns the figures strictly above their thresholds. */
  public List<Alert> alerts() {
    List<Alert> alerts = new ArrayList<>();
    alert(alerts, "api_retry_rate", apiRetryRate, MAX_API_RETRY_RATE, "model requests are retried");
    alert(alerts, "escalation_rate", escalationRate, MAX_ESCALATION_RATE, "L2 runs escalate to L3");
    alert(
        alerts,
        "repair_iterations",
        repairIterations,
        MAX_REPAIR_ITERATIONS,
        "repairs take many iterations");
    alert(alerts, "diagnosis_rate", diagnosisRate, MAX_DIAGNOSIS_RATE, "L3 steps need a diagnosis");
    return alerts;
  }

  private static void alert(
      List<Alert> alerts, String figure, double value, double threshold, String message) {
    if (value > threshold) {
      alerts.add(new Alert(figure, value, threshold, message));
    }
  }

  /** Adds up. Used by one thread. */
  private static final class Counter {
    private final Set<String> runs = new HashSet<>();
    private final Set<String> escalated = new HashSet<>();
    private final Set<String> steps = new HashSet<>();
    private final Map<String, Integer> iterations = new HashMap<>();
    private int requests;
    private int retried;
    private int failed;
    private int diagnoses;
    private int judgements;
    private int candidates;
    private int valid;

    void add(TraceEvent event) {
      runs.add(event.run());
      switch (event.type()) {
        case "ProviderRequestFinished" -> {
          if (event.isSentRequest()) {
            requests++;
            retried += event.number("retries") > 0 ? 1 : 0;
            failed += event.flag("success") ? 0 : 1;
          }
        }
        case "RepairAttempted" ->
            iterations.merge(event.run(), event.number("iteration"), Math::max);
        case "RunEscalated" -> {
          if (event.text("from").equals("L2")) {
            escalated.add(event.run());
          }
        }
        case "StepStarted", "StepFinished" -> steps.add(event.run() + "/" + event.number("step"));
        case "DiagnosisStarted" -> diagnoses++;
        case "JudgeInvoked" -> judgements++;
        case "CandidateGenerated" -> {
          candidates++;
          valid += event.flag("valid") ? 1 : 0;
        }
        default -> {
          // The other events are no figures.
        }
      }
    }

    RunStats stats() {
      int repaired = iterations.values().stream().mapToInt(Integer::intValue).sum();
      return new RunStats(
          runs.size(),
          requests,
          steps.size(),
          rate(retried, requests),
          rate(failed, requests),
          rate(repaired, iterations.size()),
          rate(escalated.size(), runs.size()),
          rate(diagnoses, steps.size()),
          rate(diagnoses, runs.size()),
          rate(judgements, runs.size()),
          rate(valid, candidates));
    }

    private static double rate(int part, int whole) {
      return whole == 0 ? 0 : (double) part / whole;
    }
  }
}
