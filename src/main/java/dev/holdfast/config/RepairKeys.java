package dev.holdfast.config;

/** The keys of repairs. A design may set other values. */
final class RepairKeys {
  static final Keys.Section SECTION = new Keys.Section();

  static final Key<String> WORKSPACE_ROOT =
      SECTION.key(
          "repair.workspace-root",
          KeyType.Text.ANY,
          ".holdfast/repairs",
          "The directory in which each repair ticket gets its own copy of its repository.");
  static final Key<String> RUNS_ROOT =
      SECTION.key(
          "repair.runs-root",
          KeyType.Text.ANY,
          ".holdfast/runs",
          "The directory in which each run of a repair leaves its trace.jsonl.");
  static final Key<Integer> PARALLEL =
      SECTION.key(
          "repair.parallel",
          new KeyType.Whole("verifications", 0, 100),
          "0",
          "How many candidates of one repair are verified at once. 0 is one for each processor.");

  static final Key<Integer> JSON_RETRIES =
      SECTION.key(
          "repair.json-retries",
          new KeyType.Whole("retries", 0, 10),
          "2",
          "How often a reviewer, a judge or a diagnosing model whose answer is not the JSON that"
              + " was asked for is asked again, with the parser's error, within the run's"
              + " budgets.");
  static final Key<Boolean> ESCALATION_ENABLED =
      SECTION.key(
          "repair.escalation.enabled",
          new KeyType.Flag(),
          "true",
          "Whether a repair goes on to competing candidates, where its design does not say.");
  static final Key<Integer> ESCALATION_NON_IMPROVING =
      SECTION.key(
          "repair.escalation.to-l3-after-non-improving-iterations",
          new KeyType.Whole("repairs", 1, 100),
          "2",
          "Repairs in a row that leave the same failure, after which it does.");
  static final Key<Integer> ESCALATION_APPLY_FAILURES =
      SECTION.key(
          "repair.escalation.to-l3-after-patch-apply-failures",
          new KeyType.Whole("patches", 1, 100),
          "2",
          "Patches in a row that do not apply, after which it does.");
  static final Key<Integer> MAX_ESCALATIONS =
      SECTION.key(
          "repair.escalation.max-escalations",
          new KeyType.Whole("times", 0, 100),
          "1",
          "How often in one run.");
  static final Key<Integer> BEST_OF_N =
      SECTION.key(
          "repair.l3.best-of-n",
          new KeyType.Whole("candidates", 1, 20),
          "3",
          "Competing candidates at a time, where the design does not say.");
  static final Key<Boolean> ENABLE_REVIEWER =
      SECTION.key(
          "repair.l3.enable-reviewer",
          new KeyType.Flag(),
          "true",
          "Whether a model ranks the candidates where none passes.");
  static final Key<Boolean> ENABLE_JUDGE =
      SECTION.key(
          "repair.l3.enable-judge",
          new KeyType.Flag(),
          "true",
          "Whether a model decides between candidates that are nearly equal.");
  static final Key<Integer> MAX_ATTEMPTS =
      SECTION.key(
          "repair.l3.max-attempts",
          new KeyType.Whole("attempts", 1, 20),
          "4",
          "How often a step asks for candidates where none applies; this also bounds its"
              + " diagnoses.");
  static final Key<Boolean> DIAGNOSIS_ENABLED =
      SECTION.key(
          "repair.l3.diagnosis.enabled",
          new KeyType.Flag(),
          "true",
          "Whether a model is asked why patches fail to apply again and again.");
  static final Key<Integer> DIAGNOSIS_TRIGGER =
      SECTION.key(
          "repair.l3.diagnosis.trigger-on-repeated-failures",
          new KeyType.Whole("attempts", 1, 100),
          "2",
          "Attempts in a row with the same error, after which it is.");
  static final Key<Integer> MAX_TOT_BRANCHES =
      SECTION.key(
          "repair.l3.diagnosis.max-tot-branches",
          new KeyType.Whole("hypotheses", 1, 20),
          "3",
          "Hypotheses that are weighed; the most confident one is told to the next attempt.");

  private RepairKeys() {}
}
