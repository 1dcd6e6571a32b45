package dev.holdfast.schema;

import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Finds the known key or name that somebody probably meant. */
public final class NearestKey {
  private NearestKey() {}

  /**
   * Returns the known name that was probably meant: the only one that contains the given one, or
   * one that is near enough to be a typing error. Another guess would send people the wrong way.
   */
  public static Optional<String> meant(String given, Collection<String> known) {
    List<String> longer = known.stream().filter(name -> name.contains(given)).toList();
    return longer.size() == 1 ? Optional.of(longer.getFirst()) : of(given, known);
  }

  /** Returns the end of a message about an unknown key: what was probably meant, and all keys. */
  public static String hint(String key, Collection<String> known) {
    String meant = of(key, known).map(near -> "did you mean \"" + near + "\"? ").orElse("");
    return meant + "known are " + known.stream().sorted().toList();
  }

  /** Returns the known key nearest to the given one, if it is near enough to be a typing error. */
  private static Optional<String> of(String key, Collection<String> known) {
    String wanted = plain(key);
    return known.stream()
        .filter(
            each -> distance(wanted, plain(each)) <= Math.max(1, Math.min(3, each.length() / 3)))
        .min(
            Comparator.comparingInt((String each) -> distance(wanted, plain(each)))
                .thenComparing(each -> each));
  }

  private static String plain(String key) {
    return key.replace('-', '_').toLowerCase(Locale.ROOT);
  }

  /**
   * Returns the Levenshtein distance, one row at a time: insertions, deletions and replacements.
   */
  public static int distance(String a, String b) {
    int[] row = new int[b.length() + 1];
    for (int j = 0; j < row.length; j++) {
      row[j] = j;
    }
    for (int i = 1; i <= a.length(); i++) {
      int diagonal = row[0];
      row[0] = i;
      for (int j = 1; j <= b.length(); j++) {
        int replaced = diagonal + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
        diagonal = row[j];
        row[j] = Math.min(replaced, 1 + Math.min(row[j], row[j - 1]));
      }
    }
    return row[b.length()];
  }
}
