package dev.holdfast.repair;

import java.util.List;
import java.util.stream.Collectors;

/** The prompts for models. */
final class Prompts {
  static final String REPAIR =
      """
      You repair a program until its verification passes. You are given the goal, what fails, and the files. Find the
      cause and answer with the smallest change that mends it; never weaken or delete a test to make it pass unless
      the goal says so. A line or two of explanation, then the change, in one of these forms:

      1. Search and replace, for each place that changes. The search text must be in the file exactly once, exactly as
      it is there:

      path/to/file.ext
      <<<<<<< SEARCH
      the lines as they are
      =======
      the lines as they should be
      >>>>>>> REPLACE

      2. A unified diff in a ```diff fence, with a/ and b/ paths, as git diff writes it.

      Change nothing else. All of your change is applied or nothing of it.
      """;

  static final String REVIEW =
      """
      You review competing patches, none of which makes the verification pass. Score each from 0 to 10 by how close it
      comes to a correct repair: is the cause right, is anything else harmed, how little is left to do. Answer with
      JSON alone: {"rankings": [{"candidate": 1, "score": 7, "why": "..."}]}
      """;

  static final String JUDGE =
      """
      You decide between patches that are nearly equal. Choose the one that a maintainer should take: correct first,
      then simple, then small. Answer with JSON alone: {"winner": 1, "confidence": "high"|"medium"|"low", "why": "..."}
      """;

  static final String DIAGNOSE =
      """
      Patches for a program fail again and again. Do not write another one. Find out why: name up to %s different
      hypotheses of what is misunderstood about the code, the failure or the form of the patches, each in a sentence or
      two that helps whoever writes the next patch, and with the full paths of the files that matter: those are shown
      to the next writer first. Answer with JSON alone:
      {"hypotheses": [{"hypothesis": "...", "confidence": 0.0 to 1.0}]}
      """;

  static final String CHANGED_NOTHING = "An earlier patch applied and changed nothing.";

  /** The beginning of a diagnosis. */
  static final String DIAGNOSED = "Diagnosis of the repeated failures: ";

  /**
   * The ways that make the candidates of one model differ, even where it allows no other
   * temperature.
   */
  private static final List<String> ANGLES =
      List.of(
          "make the smallest change that mends what fails.",
          "mend the root cause, also where that is another file than the one that fails.",
          "write it defensively: mend with it what the same code does wrong with empty, missing or"
              + " extreme values.",
          "doubt the obvious place: begin with what the failing code calls and what it is given.",
          "write the failing function anew, as plainly as it can be said.");

  private static final int MAX_TOLD = 6_000;

  private Prompts() {}

  /**
   * @param signals hypotheses, and what became of earlier tries, oldest first
   */
  static String repair(
      RepairTask task,
      Tree tree,
      Verified verified,
      List<String> signals,
      RepairRepository.Sources sources) {
    StringBuilder prompt = new StringBuilder();
    section(prompt, "Goal", task.goal());
    task.guidance().forEach(each -> section(prompt, "A person says", each));
    section(prompt, "What fails", failure(verified));
    if (!tree.diff().isEmpty()) {
      section(prompt, "Changed so far (is in the files below already)", cut(tree.diff()));
    }
    signals.forEach(each -> section(prompt, "Known by now", cut(each)));
    section(
        prompt,
        "Files",
        RelevantFiles.text(sources, diagnoses(signals), hints(task, tree, verified)));
    return prompt.toString();
  }

  private static String diagnoses(List<String> signals) {
    return signals.stream()
        .filter(each -> each.startsWith(DIAGNOSED))
        .collect(Collectors.joining("\n"));
  }

  /**
   * Returns the part that makes a candidate's prompt its own; "" for a single candidate. It comes
   * after the rest, which is the same for all of them.
   *
   * @param number of the candidate, from 1
   * @param of how many there are
   */
  static String angle(int number, int of) {
    StringBuilder prompt = new StringBuilder();
    if (of > 1) {
      section(
          prompt,
          "Your way",
          "You write candidate %s of %s, and each goes another way. Yours: %s"
              .formatted(number, of, ANGLES.get((number - 1) % ANGLES.size())));
    }
    return prompt.toString();
  }

  /** Makes the prompt for a diagnoser. */
  static String situation(RepairTask task, Verified verified, List<String> signals) {
    StringBuilder prompt = new StringBuilder();
    section(prompt, "Goal", task.goal());
    section(prompt, "What fails", failure(verified));
    section(
        prompt,
        "What happened to the patches",
        signals.stream().map(Prompts::cut).collect(Collectors.joining("\n")));
    return prompt.toString();
  }

  /**
   * The text that is added if an answer is not the JSON that was asked for (C23).
   *
   * @param error of the parser
   */
  static String again(String answer, String error) {
    StringBuilder prompt = new StringBuilder();
    section(
        prompt,
        "Your last answer cannot be read",
        "It was:\n" + cut(answer) + "\n\nIt is not the JSON that was asked for: " + error);
    return prompt.append("Answer with the JSON alone, without a fence.\n").toString();
  }

  /** Makes the prompt for a reviewer or a judge. */
  static String candidates(RepairTask task, List<Candidate> candidates) {
    StringBuilder prompt = new StringBuilder();
    section(prompt, "Goal", task.goal());
    task.guidance().forEach(each -> section(prompt, "A person says", each));
    for (Candidate each : candidates) {
      Verified verified = each.trial().verified();
      section(
          prompt,
          "Candidate " + each.number(),
          cut(each.trial().tree().diff())
              + "\n\nVerification with it: "
              + (verified.passed() ? "passes" : cut(failure(verified))));
    }
    return prompt.toString();
  }

  private static String failure(Verified verified) {
    if (verified.passed()) {
      return "nothing: the verification passes";
    }
    String flaky = verified.flaky() ? "It passed once and failed the second time: flaky.\n" : "";
    return flaky + String.join("\n", verified.failing()) + "\n\n" + verified.output();
  }

  private static String hints(RepairTask task, Tree tree, Verified verified) {
    return String.join("\n", task.guidance())
        + task.goal()
        + verified.failing()
        + verified.output()
        + tree.diff();
  }

  private static void section(StringBuilder prompt, String heading, String text) {
    prompt.append("## ").append(heading).append("\n\n").append(text.strip()).append("\n\n");
  }

  private static String cut(String text) {
    return text.length() <= MAX_TOLD ? text : text.substring(0, MAX_TOLD) + "\n… (cut)";
  }
}
