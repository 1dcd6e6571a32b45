package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** The enabled rules in the order in which they are tried, with the literals they look for. */
final class RuleSet {
  private final List<RuleMatcher> user = new ArrayList<>();
  private final Map<Stage, List<RuleMatcher>> stages = new EnumMap<>(Stage.class);
  private final LiteralIndex literals;

  RuleSet(List<Rule> userRules, List<Rule> builtIn) {
    LiteralIndex.Builder index = new LiteralIndex.Builder();
    for (Rule rule : userRules) {
      if (rule.enabled()) {
        user.add(new RuleMatcher(rule, index));
      }
    }
    for (Rule rule : builtIn) {
      if (rule.enabled()) {
        stages
            .computeIfAbsent(rule.stage(), stage -> new ArrayList<>())
            .add(new RuleMatcher(rule, index));
      }
    }
    stages
        .getOrDefault(Stage.TEXT, new ArrayList<>())
        .sort(Comparator.comparingInt(matcher -> matcher.rule().category().precedence()));
    literals = index.build();
  }

  List<RuleMatcher> ofUser() {
    return user;
  }

  List<RuleMatcher> of(Stage stage) {
    return stages.getOrDefault(stage, List.of());
  }

  /** Returns all rules in the order in which they are tried. */
  List<RuleMatcher> all() {
    List<RuleMatcher> all = new ArrayList<>(user);
    stages.values().forEach(all::addAll);
    return all;
  }

  LiteralIndex literals() {
    return literals;
  }
}
