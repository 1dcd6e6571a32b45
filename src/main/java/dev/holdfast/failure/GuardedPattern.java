package dev.holdfast.failure;

import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An expression that is tried only on texts that contain one of its words: without them it cannot
 * match.
 *
 * @param words in lower case
 */
record GuardedPattern(Pattern pattern, List<String> words) {
  private static final Pattern NEVER = Pattern.compile("(?!)");

  static GuardedPattern of(String regex, String... words) {
    return new GuardedPattern(Pattern.compile(regex), List.of(words));
  }

  /**
   * @param folded the text, {@link LiteralIndex#fold folded}
   */
  Matcher matcher(String text, String folded) {
    return mayMatch(folded) ? pattern.matcher(text) : NEVER.matcher("");
  }

  private boolean mayMatch(String folded) {
    for (String word : words) {
      if (folded.contains(word)) {
        return true;
      }
    }
    return false;
  }
}
