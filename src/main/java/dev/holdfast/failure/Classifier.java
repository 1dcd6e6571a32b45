package dev.holdfast.failure;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Says what kind of failure a report is (A5 to A13), by a table of rules. Immutable and
 * thread-safe; equal reports get equal answers. See docs/classification.md.
 */
public final class Classifier {
  private static final Classifier STANDARD = new Classifier(null, new FailureCache());

  /** The rule of a category that the job stated outright. */
  public static final String STATED = "stated";

  /** The rule of a failure of which only the time to come again is known. */
  private static final String ASKS_TO_WAIT = "asks-to-wait";

  /** The rule of an unknown failure. */
  public static final String NONE = "none";

  private final @Nullable FailureCache cache;
  private volatile @Nullable Table table;

  /** The rules in their two groups, and how they are looked up. */
  private record Table(List<Rule> userRules, List<Rule> builtIn, RuleSet rules) {
    static Table of(List<Rule> userRules, List<Rule> builtIn) {
      return new Table(
          List.copyOf(userRules), List.copyOf(builtIn), new RuleSet(userRules, builtIn));
    }
  }

  private record Decision(Category category, String rule, String evidence, @Nullable Stage stage) {
    static Decision by(Rule rule, String found) {
      return new Decision(rule.category(), rule.id(), found, rule.stage());
    }
  }

  /**
   * @param table null for the built-in rules, which are read at the first use: that takes a third
   *     of a second, and a worker's start should not wait for it
   */
  private Classifier(@Nullable Table table, @Nullable FailureCache cache) {
    this.table = table;
    this.cache = cache;
  }

  /** Returns the classifier with only the built-in rules. */
  public static Classifier standard() {
    return STANDARD;
  }

  /**
   * Returns a classifier that tries the given rules first, in their order. A rule with the id of a
   * built-in rule takes that rule's place instead; one that is not enabled removes it.
   *
   * @throws InvalidRuleException where two of the rules have one id
   */
  public Classifier withRules(List<Rule> rules) {
    if (rules.isEmpty()) {
      return this;
    }
    List<Rule> first = new ArrayList<>(table().userRules());
    List<Rule> builtIn = new ArrayList<>(table().builtIn());
    List<String> ids = new ArrayList<>();
    for (Rule rule : rules) {
      if (ids.contains(rule.id())) {
        throw new InvalidRuleException(
            "the rule id \"" + rule.id() + "\" is used twice; rename or remove one");
      }
      ids.add(rule.id());
      if (!replace(builtIn, rule) && !replace(first, rule)) {
        first.add(rule);
      }
    }
    return new Classifier(Table.of(first, builtIn), new FailureCache());
  }

  /** Returns all rules, the user's first, then the built-in ones. */
  public List<Rule> rules() {
    List<Rule> rules = new ArrayList<>(table().userRules());
    rules.addAll(table().builtIn());
    return List.copyOf(rules);
  }

  /**
   * Returns the same classifier, slow and simple: it tries every expression and remembers nothing.
   */
  Classifier withoutShortcuts() {
    return new Classifier(table(), null);
  }

  private Table table() {
    Table known = table;
    return known == null ? readTable() : known;
  }

  private synchronized Table readTable() {
    Table known = table;
    if (known == null) {
      known = Table.of(List.of(), RuleTable.builtIn());
      table = known;
    }
    return known;
  }

  /** Classifies a report. Never throws for any content of it. */
  public Failure classify(ErrorReport report) {
    if (cache == null) {
      return judge(report);
    }
    Failure failure = cache.get(report);
    if (failure == null) {
      failure = judge(report);
      cache.put(report, failure);
    }
    return failure;
  }

  /** Explains the answer of {@link #classify}. It is slower, and uses no remembered answer. */
  public Explanation explain(ErrorReport report) {
    Failure failure = judge(report);
    RuleSet rules = table().rules();
    Judgement judgement = judgement(report, rules, true);
    Evidence evidence = judgement.evidence();
    Stage stage = judgement.decision().stage();
    List<String> others = new ArrayList<>();
    for (RuleMatcher matcher : rules.all()) {
      String id = matcher.rule().id();
      if (!id.equals(failure.rule()) && evidence.match(matcher) != null) {
        others.add(id);
      }
    }
    String hint =
        failure.retryAfter() == null
            ? null
            : RetryHintParser.hint(evidence.window())
                .map(RetryHintParser.Hint::evidence)
                .orElse(null);
    return new Explanation(failure, stage, hint, others);
  }

  private Failure judge(ErrorReport report) {
    RuleSet rules = table().rules();
    Judgement judgement = judgement(report, rules, cache != null);
    Evidence evidence = judgement.evidence();
    Decision decision = judgement.decision();
    // The statuses and hints in a test report belong to the test, not to a server.
    boolean quoted = decision.stage() == Stage.CODE;
    Integer status = report.httpStatus();
    if (status == null && !quoted && evidence.status().isPresent()) {
      status = evidence.status().getAsInt();
    }
    Duration hint = report.retryAfter();
    if (hint == null && !quoted) {
      hint = RetryHintParser.find(evidence.window()).orElse(null);
    }
    String fingerprint =
        Fingerprint.of(
            decision.category(),
            status,
            OutrightError.wordsAlone(evidence.window()),
            evidence.rootCause());
    return new Failure(
        report.text(),
        decision.category(),
        decision.rule(),
        decision.evidence(),
        hint,
        status,
        fingerprint,
        ErrorTitle.of(evidence.window(), evidence.rootCause()));
  }

  private record Judgement(Evidence evidence, Decision decision) {}

  /** Judges by what a program says outright; if that gives nothing, by all that it printed. */
  private static Judgement judgement(ErrorReport report, RuleSet rules, boolean shortcuts) {
    Evidence all = new Evidence(report, rules.literals(), shortcuts);
    String outright = OutrightError.withEnd(all.window());
    if (report.statedCategory() == null && outright.length() < all.window().length()) {
      ErrorReport said = report.withText(outright);
      Evidence own = new Evidence(said, rules.literals(), shortcuts);
      Decision decision = decide(said, own, rules);
      if (decision.category() != Category.UNKNOWN) {
        return new Judgement(own, decision);
      }
    }
    return new Judgement(all, decide(report, all, rules));
  }

  private static Decision decide(ErrorReport report, Evidence evidence, RuleSet rules) {
    if (report.statedCategory() != null) {
      return new Decision(
          report.statedCategory(), STATED, report.statedCategory().wireName(), null);
    }
    return firstOf(rules.ofUser(), evidence)
        .or(() -> given(report, evidence, rules))
        .or(() -> byStages(evidence, rules))
        .or(() -> evidence.asWords().flatMap(words -> byStages(words, rules)))
        .orElse(new Decision(Category.UNKNOWN, NONE, "", null));
  }

  /** Decides by facts of the reporter, which count before the words of its text. */
  private static Optional<Decision> given(ErrorReport report, Evidence evidence, RuleSet rules) {
    Optional<Decision> decision = firstOf(rules.of(Stage.TYPE), evidence);
    if (decision.isEmpty() && report.exitCode() != null) {
      decision = firstOf(rules.of(Stage.EXIT), evidence);
    }
    if (decision.isEmpty() && report.httpStatus() != null && report.httpStatus() >= 400) {
      decision =
          firstOf(rules.of(Stage.BODY), evidence)
              .or(() -> firstOf(rules.of(Stage.STATUS), evidence));
    }
    return decision;
  }

  private static Optional<Decision> byStages(Evidence evidence, RuleSet rules) {
    for (Stage stage : Stage.values()) {
      Optional<Decision> decision =
          switch (stage) {
            case TEXT -> byWording(evidence, rules);
            case GUESS -> byAskingToWait(evidence).or(() -> firstOf(rules.of(stage), evidence));
            case TYPE, CODE, ROOT, EXIT, TOOL, BODY, STATUS, ERRNO ->
                firstOf(rules.of(stage), evidence);
          };
      if (decision.isPresent()) {
        return decision;
      }
    }
    return Optional.empty();
  }

  /**
   * Decides by the wish for a later try: it says that waiting helps, and that says more than any
   * guess.
   */
  private static Optional<Decision> byAskingToWait(Evidence evidence) {
    return evidence
        .askToWait()
        .map(words -> new Decision(Category.TRANSIENT, ASKS_TO_WAIT, words, Stage.GUESS));
  }

  /**
   * Decides by the root cause first, and then by the whole text, whose wrappers and logs may
   * mislead.
   */
  private static Optional<Decision> byWording(Evidence evidence, RuleSet rules) {
    if (!evidence.rootCause().isEmpty()) {
      for (RuleMatcher matcher : rules.of(Stage.TEXT)) {
        String found = evidence.match(matcher, evidence.rootCause());
        if (found != null) {
          return Optional.of(Decision.by(matcher.rule(), found));
        }
      }
    }
    return firstOf(rules.of(Stage.TEXT), evidence);
  }

  private static Optional<Decision> firstOf(List<RuleMatcher> rules, Evidence evidence) {
    for (RuleMatcher matcher : rules) {
      String found = evidence.match(matcher);
      if (found != null) {
        return Optional.of(Decision.by(matcher.rule(), found));
      }
    }
    return Optional.empty();
  }

  private static boolean replace(List<Rule> rules, Rule rule) {
    for (int i = 0; i < rules.size(); i++) {
      if (rules.get(i).id().equals(rule.id())) {
        rules.set(i, rule);
        return true;
      }
    }
    return false;
  }
}
