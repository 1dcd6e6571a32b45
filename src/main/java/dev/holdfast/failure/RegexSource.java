package dev.holdfast.failure;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/** The source of a regular expression, as far as it must be understood to take it apart. */
final class RegexSource {
  /** Flags for the rest of the expression, flags but i and -i, quoted parts, characters by code. */
  private static final Pattern UNUSUAL =
      Pattern.compile("\\(\\?[a-zA-Z-]*\\)|\\(\\?(?!-?i:)[a-zA-Z-]+:|&&|\\\\(?:[QExu0c]|[pP][^{])");

  private static final Pattern REFERENCE = Pattern.compile("\\\\[1-9k]|\\(\\?<[a-zA-Z]");

  private RegexSource() {}

  /** Returns true if the expression uses nothing but what is understood here. */
  static boolean isUsual(String regex) {
    return !UNUSUAL.matcher(regex).find() && !REFERENCE.matcher(regex).find();
  }

  /**
   * Returns the outermost alternatives, in their order; also those of a group around everything.
   */
  static List<String> alternatives(String regex) {
    List<String> alternatives = new ArrayList<>();
    for (String part : split(regex)) {
      if (part.startsWith("(?") && isPlainGroup(part, 0) && endOfGroup(part) == part.length() - 1) {
        int inside = part.indexOf(':') + 1;
        for (String inner : alternatives(part.substring(inside, part.length() - 1))) {
          alternatives.add(part.substring(0, inside) + inner + ")");
        }
      } else {
        alternatives.add(part);
      }
    }
    return alternatives;
  }

  private static List<String> split(String regex) {
    List<String> parts = new ArrayList<>();
    int depth = 0;
    int start = 0;
    for (int i = 0; i < regex.length(); i++) {
      switch (regex.charAt(i)) {
        case '\\' -> i++;
        case '[' -> i = endOfClass(regex, i);
        case '(' -> depth++;
        case ')' -> depth--;
        case '|' -> {
          if (depth == 0) {
            parts.add(regex.substring(start, i));
            start = i + 1;
          }
        }
        default -> {}
      }
    }
    parts.add(regex.substring(start));
    return parts;
  }

  /** Returns whether the group that starts there means no more than its parts, apart from case. */
  static boolean isPlainGroup(String regex, int start) {
    return regex.startsWith("(?:", start)
        || regex.startsWith("(?i:", start)
        || regex.startsWith("(?-i:", start);
  }

  /** Returns the place of the parenthesis that closes the one at the start. */
  private static int endOfGroup(String regex) {
    int depth = 0;
    for (int i = 0; i < regex.length(); i++) {
      switch (regex.charAt(i)) {
        case '\\' -> i++;
        case '[' -> i = endOfClass(regex, i);
        case '(' -> depth++;
        case ')' -> depth--;
        default -> {}
      }
      if (depth == 0) {
        return i;
      }
    }
    return regex.length();
  }

  /**
   * Returns the place of the bracket that closes the character class which starts at the given
   * place.
   */
  static int endOfClass(String regex, int start) {
    int depth = 0;
    for (int i = start; i < regex.length(); i++) {
      char c = regex.charAt(i);
      if (c == '\\') {
        i++;
      } else if (c == '[') {
        depth++;
      } else if (c == ']' && --depth == 0) {
        return i;
      }
    }
    return regex.length();
  }
}
