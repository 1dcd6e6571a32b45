package dev.holdfast.workflow;

import dev.holdfast.ticket.InvalidInputException;
import dev.holdfast.ticket.Review;
import dev.holdfast.worker.ReviewRule;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import tools.jackson.databind.JsonNode;

/**
 * A design of kind {@code workflow}.
 *
 * @param steps each after those that it waits for
 * @param before the steps that each waits for, directly or not
 * @param review the review that the whole result waits for; default nobody
 */
public record WorkflowDesign(List<Step> steps, Map<String, Set<String>> before, ReviewRule review) {
  private static final int MOST_STEPS = 1_000;

  /**
   * @param json a design that is valid by the schema of designs
   * @throws InvalidInputException if the steps make no workflow; the message names them
   */
  public static WorkflowDesign of(JsonNode json) {
    Map<String, Step> steps = new LinkedHashMap<>();
    if (json.path("steps").size() > MOST_STEPS) {
      throw new InvalidInputException("a workflow has at most " + MOST_STEPS + " steps");
    }
    json.path("steps").forEachEntry((name, each) -> steps.put(name, step(name, each)));
    for (Step step : steps.values()) {
      for (String other : step.after()) {
        if (!steps.containsKey(other)) {
          throw new InvalidInputException(
              "step %s waits for \"%s\", and there is no such step; there are %s"
                  .formatted(step.name(), other, String.join(", ", steps.keySet())));
        }
      }
    }
    List<Step> ordered = ordered(steps);
    Map<String, Set<String>> before = new HashMap<>();
    for (Step step : ordered) {
      Set<String> earlier = new HashSet<>(step.after());
      step.after().forEach(each -> earlier.addAll(before.getOrDefault(each, Set.of())));
      before.put(step.name(), earlier);
      requireBefore(step, earlier, steps.keySet());
    }
    return new WorkflowDesign(ordered, before, ReviewRule.of(json.path("review"), Review.NONE));
  }

  /** Returns for each step the steps whose results it uses, or may use. */
  Map<String, Set<String>> uses() {
    Map<String, Set<String>> uses = new HashMap<>();
    for (Step step : steps) {
      Set<String> earlier = before.getOrDefault(step.name(), Set.of());
      uses.put(step.name(), step.uses().others() ? earlier : step.uses().names());
    }
    return uses;
  }

  private static Step step(String name, JsonNode json) {
    try {
      return Step.of(name, json);
    } catch (ExpressionException e) {
      throw new InvalidInputException("step " + name + ": " + e.getMessage());
    }
  }

  private static void requireBefore(Step step, Set<String> earlier, Set<String> all) {
    for (String used : step.uses().names()) {
      if (!earlier.contains(used)) {
        throw new InvalidInputException(
            all.contains(used)
                ? "step %s uses results.%s and does not wait for it: add \"%s\" to its after"
                    .formatted(step.name(), used, used)
                : "step %s uses results.%s, and there is no such step"
                    .formatted(step.name(), used));
      }
    }
  }

  private static List<Step> ordered(Map<String, Step> steps) {
    List<Step> ordered = new ArrayList<>();
    Set<String> done = new HashSet<>();
    List<Step> left = new ArrayList<>(steps.values());
    while (!left.isEmpty()) {
      List<Step> next = left.stream().filter(each -> done.containsAll(each.after())).toList();
      if (next.isEmpty()) {
        throw new InvalidInputException(
            "these steps wait for each other in a circle: " + circle(steps, left, done));
      }
      ordered.addAll(next);
      next.forEach(each -> done.add(each.name()));
      left.removeAll(next);
    }
    return ordered;
  }

  /**
   * Finds a circle. Each step that is left waits for another one that is left, so a path along them
   * comes back.
   */
  private static String circle(Map<String, Step> steps, List<Step> left, Set<String> done) {
    List<String> path = new ArrayList<>();
    String at = left.getFirst().name();
    while (!path.contains(at)) {
      path.add(at);
      at =
          Objects.requireNonNull(steps.get(at)).after().stream()
              .filter(each -> !done.contains(each))
              .findFirst()
              .orElseThrow();
    }
    List<String> circle = new ArrayList<>(path.subList(path.indexOf(at), path.size()));
    circle.add(at);
    return String.join(" after ", circle);
  }
}
