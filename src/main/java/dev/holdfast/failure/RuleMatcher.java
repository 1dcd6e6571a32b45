package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The text side of one rule, prepared for many texts. Thread-safe. */
final class RuleMatcher {
  private final Rule rule;
  private final List<PatternMatcher> patterns = new ArrayList<>();
  private final int[] literals;
  private final List<String> shapes;
  private final @Nullable PatternMatcher unless;
  private final @Nullable BitSet needed;

  RuleMatcher(Rule rule, LiteralIndex.Builder index) {
    this.rule = rule;
    shapes = rule.codes().stream().map(StructuredBody::foldShape).toList();
    BitSet all = new BitSet();
    boolean known = true;
    for (Pattern pattern : rule.patterns()) {
      PatternMatcher matcher = new PatternMatcher(pattern, index);
      patterns.add(matcher);
      known &= matcher.addLiterals(all);
    }
    literals = new int[rule.literals().size()];
    for (int i = 0; i < literals.length; i++) {
      literals[i] = index.number(LiteralIndex.fold(rule.literals().get(i)));
      all.set(literals[i]);
    }
    unless = rule.unless() == null ? null : new PatternMatcher(rule.unless(), index);
    needed = known ? all : null;
  }

  Rule rule() {
    return rule;
  }

  /** Returns the rule's codes, folded once in the way in which a text's codes are folded. */
  List<String> shapes() {
    return shapes;
  }

  /**
   * Returns the part of the text that a pattern finds, otherwise the first literal of the whole
   * evidence, or null.
   *
   * @param shortcut whether {@code present} decides what is tried
   */
  @Nullable String find(String text, BitSet present, boolean shortcut) {
    if (shortcut && needed != null && !needed.intersects(present)) {
      return null;
    }
    for (PatternMatcher pattern : patterns) {
      String found = pattern.find(text, shortcut ? present : null);
      if (found != null) {
        return found.strip();
      }
    }
    for (int i = 0; i < literals.length; i++) {
      if (present.get(literals[i])) {
        return rule.literals().get(i);
      }
    }
    return null;
  }

  /** Returns whether the text is one to leave alone. */
  boolean excludes(String text, BitSet present, boolean shortcut) {
    return unless != null && unless.find(text, shortcut ? present : null) != null;
  }
}
