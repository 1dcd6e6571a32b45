package dev.holdfast.repair;

import dev.holdfast.repair.trace.RunEvent;
import dev.holdfast.repair.trace.RunEvent.JudgeInfo;
import dev.holdfast.repair.trace.RunEvent.Ranking;
import dev.holdfast.repair.trace.RunLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * Asks the reviewer, the judge and the diagnoser. The word of these models is welcome but never
 * needed: where one gives no usable answer, the run goes on without it (E31, E38).
 *
 * @param jsonRetries how often an answer that is no JSON is asked for again
 */
record Advice(RunLog log, Models models, RepairTask task, int jsonRetries) {
  private static final Set<String> CONFIDENCES = Set.of("high", "medium", "low");

  private record Hypothesis(String text, double confidence) {}

  private static final String NO_ANSWER = "no answer: ";

  /** Asks a reviewer; returns nothing where it failed (E29). */
  List<Ranking> review(String name, int step, List<Candidate> candidates)
      throws IOException, InterruptedException {
    ModelJson answer =
        answer(name + "/review", Prompts.REVIEW, Prompts.candidates(task, candidates));
    List<Ranking> rankings = rankings(answer.node(), candidates);
    String error = rankings.isEmpty() ? unusable(answer) : "";
    log.note(new RunEvent.ReviewFinished(step, rankings, error));
    return rankings;
  }

  /** Asks a judge (E30, E31). */
  JudgeInfo judge(String name, int step, Shortlist shortlist)
      throws IOException, InterruptedException {
    List<Integer> numbers = shortlist.near().stream().map(Candidate::number).toList();
    log.note(new RunEvent.JudgeInvoked(step, numbers));
    ModelJson answer =
        answer(name + "/judge", Prompts.JUDGE, Prompts.candidates(task, shortlist.near()));
    int winner = answer.node().path("winner").asInt(0);
    if (!numbers.contains(winner)) {
      int best = shortlist.first().number();
      String error = winner == 0 ? unusable(answer) : "candidate " + winner + " is not in question";
      log.note(new RunEvent.JudgeFailed(step, best, error));
      return new JudgeInfo(true, best, "low");
    }
    String said = answer.node().path("confidence").asString("").toLowerCase(Locale.ROOT);
    String confidence = CONFIDENCES.contains(said) ? said : "medium";
    log.note(new RunEvent.JudgeDecided(step, winner, confidence));
    return new JudgeInfo(false, winner, confidence);
  }

  /**
   * Asks for a diagnosis (E35, E36).
   *
   * @param branches how many hypotheses are weighed
   * @return the most confident one; "" where there is none
   */
  String diagnose(String name, int step, int attempt, int branches, String situation)
      throws IOException, InterruptedException {
    log.note(new RunEvent.DiagnosisStarted(step, attempt));
    ModelJson answer = answer(name + "/diagnosis", Prompts.DIAGNOSE.formatted(branches), situation);
    Optional<Hypothesis> chosen = chosen(answer.node(), branches);
    String error = chosen.isEmpty() ? unusable(answer) : "";
    log.note(
        new RunEvent.DiagnosisCompleted(step, chosen.map(Hypothesis::text).orElse(null), error));
    return chosen.map(Hypothesis::text).orElse("");
  }

  /** Asks for JSON. A model whose answer is not that is told so, and is asked again (C23). */
  private ModelJson answer(String name, String system, String prompt)
      throws IOException, InterruptedException {
    String text = asked(name, system, prompt);
    for (int retry = 1; ; retry++) {
      if (text.startsWith(NO_ANSWER)) {
        return ModelJson.unreadable(text);
      }
      ModelJson json = ModelJson.in(text);
      if (json.error().isEmpty() || retry > jsonRetries) {
        return json;
      }
      text = asked(name + "/json-" + retry, system, prompt + Prompts.again(text, json.error()));
    }
  }

  /**
   * Asks a model. A failed call is journalled as an empty answer, and is not made again. So is a
   * call that the budget no longer allows: then the run chooses from what there is.
   */
  private String asked(String name, String system, String prompt)
      throws IOException, InterruptedException {
    return log.step(
        name,
        String.class,
        events -> {
          try {
            RunLog.Done<ModelText> answer = models.ask(system, prompt, 0, events);
            return new RunLog.Done<>(answer.value().text(), answer.paid());
          } catch (ModelFailedException | BudgetExceededException e) {
            return RunLog.Done.free(NO_ANSWER + e.getMessage());
          }
        });
  }

  private static String unusable(ModelJson answer) {
    return answer.error().isEmpty() ? "the answer is not what was asked for" : answer.error();
  }

  private static List<Ranking> rankings(JsonNode answer, List<Candidate> candidates) {
    List<Ranking> rankings = new ArrayList<>();
    for (JsonNode each : answer.path("rankings")) {
      int number = each.path("candidate").asInt(0);
      boolean known = candidates.stream().anyMatch(candidate -> candidate.number() == number);
      double score = each.path("score").asDouble(Double.NaN);
      if (known && !Double.isNaN(score)) {
        rankings.add(new Ranking(number, Math.clamp(score, 0, 10), each.path("why").asString("")));
      }
    }
    rankings.sort(Comparator.comparingDouble((Ranking each) -> -each.score()));
    return rankings;
  }

  private static Optional<Hypothesis> chosen(JsonNode answer, int branches) {
    List<Hypothesis> hypotheses = new ArrayList<>();
    for (JsonNode each : answer.path("hypotheses")) {
      String text = each.path("hypothesis").asString("").strip();
      if (!text.isEmpty() && hypotheses.size() < branches) {
        hypotheses.add(new Hypothesis(text, each.path("confidence").asDouble(0)));
      }
    }
    // Takes the first of equally confident ones.
    return hypotheses.stream().min(Comparator.comparingDouble(each -> -each.confidence()));
  }
}
