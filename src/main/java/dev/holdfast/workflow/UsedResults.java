package dev.holdfast.workflow;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The results that the expressions of a step use.
 *
 * @param names the names of their steps
 * @param others whether they may be results of other steps, too: an expression takes the results as
 *     a whole, or computes a name
 */
record UsedResults(Set<String> names, boolean others) {
  private static final Pattern ANY = Pattern.compile("(?<![.\\w])results(?!\\w)");
  private static final Pattern NAMED =
      Pattern.compile(ANY + "(?:\\.([A-Za-z_]\\w*)|\\[\\s*[\"']([^\"']*)[\"']\\s*])");

  static UsedResults of(List<String> expressions) {
    Set<String> names = new LinkedHashSet<>();
    long unnamed = 0;
    for (String expression : expressions) {
      unnamed += ANY.matcher(expression).results().count();
      Matcher named = NAMED.matcher(expression);
      while (named.find()) {
        names.add(named.group(1) == null ? named.group(2) : named.group(1));
        unnamed--;
      }
    }
    return new UsedResults(names, unnamed > 0);
  }
}
