package dev.holdfast.tool.workspace;

import dev.holdfast.schema.DeadlineText;
import dev.holdfast.tool.ModelRetryException;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;

/**
 * A shell pattern for paths: {@code *}, {@code ?}, {@code **}, {@code [a-z]}, {@code {a,b}}. A
 * pattern without a slash matches the file's name, in any directory.
 */
record Glob(Pattern pattern, boolean forName) {
  /**
   * @throws ModelRetryException if it cannot be read
   */
  static Glob of(String glob) {
    try {
      return new Glob(Pattern.compile(regex(glob)), !glob.contains("/"));
    } catch (PatternSyntaxException e) {
      throw new ModelRetryException("The glob \"" + glob + "\" is wrong: " + e.getDescription(), e);
    }
  }

  boolean matches(String path, SearchDeadline deadline) {
    String text = forName ? path.substring(path.lastIndexOf('/') + 1) : path;
    return pattern.matcher(new DeadlineText(text, deadline::check)).matches();
  }

  private static String regex(String glob) {
    StringBuilder regex = new StringBuilder();
    int braces = 0;
    for (int i = 0; i < glob.length(); i++) {
      if (glob.startsWith("**/", i)) {
        // Several in a row mean the same as one, but each would be tried with all others.
        regex.append(glob.startsWith("**/", i + 3) ? "" : "(?:[^/]++/)*");
        i += 2;
      } else if (glob.startsWith("**", i)) {
        regex.append(".*");
        i++;
      } else {
        char c = glob.charAt(i);
        braces += c == '{' ? 1 : c == '}' ? -1 : 0;
        boolean isPlain = (c == ',' && braces == 0) || (c == '!' && !glob.startsWith("[!", i - 1));
        regex.append(isPlain ? Pattern.quote(String.valueOf(c)) : part(c));
      }
    }
    return regex.toString();
  }

  private static String part(char c) {
    return switch (c) {
      case '*' -> "[^/]*";
      case '?' -> "[^/]";
      case '{' -> "(?:";
      case '}' -> ")";
      case ',' -> "|";
      case '[', ']', '-' -> String.valueOf(c);
      case '!' -> "^";
      default -> Pattern.quote(String.valueOf(c));
    };
  }
}
