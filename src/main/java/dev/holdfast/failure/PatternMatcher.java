package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Finds what a rule's expression finds, but tries only those outermost alternatives that can match
 * with the literals of the text. Thread-safe.
 */
final class PatternMatcher {
  private final List<Alternative> alternatives = new ArrayList<>();

  /** One alternative. It is compiled at its first use, because few are ever needed. */
  private static final class Alternative {
    private final String regex;
    private final int flags;
    private final int[][] required;
    private volatile @Nullable Pattern compiled;

    /**
     * @param required sets of the numbers of literals; any match has one of each set
     */
    Alternative(String regex, int flags, int[][] required) {
      this.regex = regex;
      this.flags = flags;
      this.required = required;
    }

    boolean mayMatch(@Nullable BitSet present) {
      if (present != null) {
        for (int[] some : required) {
          if (!hasOne(some, present)) {
            return false;
          }
        }
      }
      return true;
    }

    private static boolean hasOne(int[] literals, BitSet present) {
      for (int literal : literals) {
        if (present.get(literal)) {
          return true;
        }
      }
      return false;
    }

    Matcher matcher(String text) {
      Pattern pattern = compiled;
      if (pattern == null) {
        pattern = Pattern.compile(regex, flags);
        compiled = pattern;
      }
      return pattern.matcher(text);
    }
  }

  PatternMatcher(Pattern pattern, LiteralIndex.Builder index) {
    String regex = pattern.pattern();
    boolean usual = RegexSource.isUsual(regex);
    for (String part : usual ? RegexSource.alternatives(regex) : List.of(regex)) {
      int[][] required =
          RequiredLiterals.of(part).stream()
              .map(some -> some.stream().mapToInt(index::number).toArray())
              .toArray(int[][]::new);
      alternatives.add(new Alternative(part, pattern.flags(), required));
    }
  }

  /** Adds the literals that any match needs to the given ones; returns false if there are none. */
  boolean addLiterals(BitSet all) {
    for (Alternative alternative : alternatives) {
      if (alternative.required.length == 0) {
        return false;
      }
      for (int literal : alternative.required[0]) {
        all.set(literal);
      }
    }
    return true;
  }

  /**
   * Returns the first match, or null. At its place it is the first alternative's, as with the
   * undivided expression.
   *
   * @param present the literals in the text; null where they are not known
   */
  @Nullable String find(String text, @Nullable BitSet present) {
    int first = Integer.MAX_VALUE;
    String found = null;
    for (Alternative alternative : alternatives) {
      if (alternative.mayMatch(present)) {
        Matcher matcher = alternative.matcher(text);
        if (matcher.find() && matcher.start() < first) {
          first = matcher.start();
          found = matcher.group();
        }
      }
    }
    return found;
  }
}
