package dev.holdfast.repair;

import java.util.List;

/** What models are told. */
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
      two that helps whoever writes the next patch. Answer with JSON alone:
      {"hypotheses": [{"hypothesis": "...", "confidence": 0.0 to 1.0}]}
      """;

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
      Workbench.Sources sources) {
    StringBuilder prompt = new StringBuilder();
    section(prompt, "Goal", task.goal());
    task.guidance().forEach(each -> section(prompt, "A person says", each));
    section(prompt, "What fails", failure(verified));
    if (!tree.diff().isEmpty()) {
      section(prompt, "Changed so far (is in the files below already)", cut(tree.diff()));
    }
    signals.forEach(each -> section(prompt, "Known by now", cut(each)));
    section(prompt, "Files", RelevantFiles.text(sources, hints(task, tree, verified)));
    return prompt.toString();
  }

  /** For a reviewer or a judge. */
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
