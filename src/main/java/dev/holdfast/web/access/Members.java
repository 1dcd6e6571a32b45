package dev.holdfast.web.access;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The roles of people whom somebody else has logged in.
 *
 * @param viewers names, {@code @GROUP}, or {@code *} for everybody
 * @param operators likewise
 */
public record Members(List<String> viewers, List<String> operators) {
  // A name has one script and no commas, so that it does not look like another name, or like two.
  private static final Pattern NAME =
      Pattern.compile("[A-Za-z0-9](?:[A-Za-z0-9._@+:/\\\\=' -]{0,198}[A-Za-z0-9._@+=-])?");

  public Members {
    viewers = List.copyOf(viewers);
    operators = List.copyOf(operators);
  }

  /**
   * Returns true if somebody may act under this name: plain letters, digits and some signs, at most
   * 200.
   */
  public static boolean isName(String text) {
    return NAME.matcher(text).matches();
  }

  /** Returns the role; empty for those who may not come in. */
  public Optional<Role> roleOf(String name, Collection<String> groups) {
    if (has(operators, name, groups)) {
      return Optional.of(Role.OPERATOR);
    }
    return has(viewers, name, groups) ? Optional.of(Role.VIEWER) : Optional.empty();
  }

  private static boolean has(List<String> entries, String name, Collection<String> groups) {
    return entries.stream()
        .anyMatch(
            entry ->
                entry.startsWith("@")
                    ? groups.contains(entry.substring(1))
                    : entry.equals("*") || entry.equals(name));
  }
}
