package dev.holdfast.config;

import java.util.Collection;
import java.util.Comparator;

/** Finds what somebody may have meant. */
public final class NearestName {
  private NearestName() {}

  /**
   * The known name with the fewest edits from the given one; a name that only lacks its prefix is
   * nearest of all.
   *
   * @param known not empty
   */
  public static String of(String given, Collection<String> known) {
    return known.stream()
        .filter(name -> name.endsWith("." + given))
        .findFirst()
        .orElseGet(
            () ->
                known.stream()
                    .min(Comparator.comparingInt(name -> distance(given, name)))
                    .orElseThrow());
  }

  /** Levenshtein's: insertions, deletions and replacements. */
  static int distance(String a, String b) {
    int[] previous = new int[b.length() + 1];
    for (int j = 0; j <= b.length(); j++) {
      previous[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int[] current = new int[b.length() + 1];
      current[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        current[j] = Math.min(replaced, Math.min(previous[j], current[j - 1]) + 1);
      }
      previous = current;
    }
    return previous[b.length()];
  }
}
