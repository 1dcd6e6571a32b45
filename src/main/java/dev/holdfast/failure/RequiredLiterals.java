package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Reads from a regular expression the texts that every match contains, so that it need not be tried
 * on a text that lacks them. The result is a list of sets: every match contains at least one text
 * of each set. If the list is empty, the expression must always be tried.
 */
final class RequiredLiterals {
  private static final int MIN_LENGTH = 3;
  private static final int MAX_LITERALS = 500;
  private static final int LAST_ASCII = 127;

  private final String regex;
  private int at;

  private RequiredLiterals(String regex) {
    this.regex = regex;
  }

  /** Returns sets of folded literals; every match contains one literal of each set. */
  static List<Set<String>> of(String regex) {
    if (!RegexSource.isUsual(regex)) {
      return List.of();
    }
    RequiredLiterals parser = new RequiredLiterals(regex);
    List<Set<String>> required = parser.alternation();
    return parser.at == regex.length() ? required : List.of();
  }

  /** Reads alternatives: each of several branches gives its most telling set to one common set. */
  private List<Set<String>> alternation() {
    List<Set<String>> first = sequence();
    if (at >= regex.length() || regex.charAt(at) != '|') {
      return first;
    }
    Set<String> all = new LinkedHashSet<>(mostTelling(first));
    boolean known = !first.isEmpty();
    while (at < regex.length() && regex.charAt(at) == '|') {
      at++;
      List<Set<String>> branch = sequence();
      known &= !branch.isEmpty();
      all.addAll(mostTelling(branch));
    }
    return known && all.size() <= MAX_LITERALS ? List.of(all) : List.of();
  }

  /** Returns the words that a sequence of parts requires. */
  private List<Set<String>> sequence() {
    List<Set<String>> required = new ArrayList<>();
    StringBuilder run = new StringBuilder();
    while (at < regex.length() && regex.charAt(at) != '|' && regex.charAt(at) != ')') {
      char c = regex.charAt(at);
      if (c == '(') {
        end(run, required);
        required.addAll(group());
      } else if (isLiteral(c)) {
        literal(run, required);
      } else {
        end(run, required);
        skip(c);
      }
    }
    end(run, required);
    return required;
  }

  private boolean isLiteral(char c) {
    return c == '\\'
        ? at + 1 < regex.length() && !Character.isLetterOrDigit(regex.charAt(at + 1))
        : ".^$[".indexOf(c) < 0;
  }

  /**
   * Takes one character into the run, and ends the run if the character may repeat or be missing.
   */
  private void literal(StringBuilder run, List<Set<String>> required) {
    at += regex.charAt(at) == '\\' ? 1 : 0;
    char c = Character.toLowerCase(regex.charAt(at++));
    int least = quantifier();
    if (least != 0) {
      run.append(c);
    }
    if (least >= 0) {
      end(run, required);
    }
  }

  private static void end(StringBuilder run, List<Set<String>> required) {
    if (isTelling(run.toString())) {
      required.add(Set.of(run.toString()));
    }
    run.setLength(0);
  }

  /** Goes past an anchor, a class or a dot with its quantifier. */
  private void skip(char c) {
    if (c == '[') {
      at = RegexSource.endOfClass(regex, at) + 1;
    } else if (c == '\\') {
      boolean named = regex.startsWith("p{", at + 1) || regex.startsWith("P{", at + 1);
      at = named ? regex.indexOf('}', at) + 1 : at + 2;
    } else {
      at++;
    }
    quantifier();
  }

  /** Returns the words that a group requires; none if it is optional or looks around. */
  private List<Set<String>> group() {
    at++;
    boolean counts = !regex.startsWith("?", at);
    if (!counts) {
      counts = RegexSource.isPlainGroup(regex, at - 1);
      at = counts ? regex.indexOf(':', at) + 1 : at + (regex.startsWith("?<", at) ? 3 : 2);
    }
    List<Set<String>> required = alternation();
    at++;
    return quantifier() != 0 && counts ? required : List.of();
  }

  /** Goes past a quantifier; returns the least number of times, or -1 if there is none. */
  private int quantifier() {
    if (at >= regex.length()) {
      return -1;
    }
    int least =
        switch (regex.charAt(at)) {
          case '?', '*' -> 0;
          case '+' -> 1;
          case '{' -> regex.startsWith("{0", at) ? 0 : 1;
          default -> -1;
        };
    if (least >= 0) {
      at = regex.charAt(at) == '{' ? regex.indexOf('}', at) + 1 : at + 1;
      at += at < regex.length() && "?+".indexOf(regex.charAt(at)) >= 0 ? 1 : 0;
    }
    return least;
  }

  private static Set<String> mostTelling(List<Set<String>> sets) {
    Set<String> best = Set.of();
    for (Set<String> set : sets) {
      best = best.isEmpty() || shortest(set) > shortest(best) ? set : best;
    }
    return best;
  }

  private static int shortest(Set<String> literals) {
    int shortest = Integer.MAX_VALUE;
    for (String literal : literals) {
      shortest = Math.min(shortest, literal.length());
    }
    return shortest;
  }

  /** Returns true if a literal is rare enough to be worth looking for. */
  private static boolean isTelling(String literal) {
    return literal.length() >= MIN_LENGTH || literal.chars().anyMatch(c -> c > LAST_ASCII);
  }
}
