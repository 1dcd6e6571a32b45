package dev.holdfast.config;

import dev.holdfast.schema.NearestKey;
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
                    .min(Comparator.comparingInt(name -> NearestKey.distance(given, name)))
                    .orElseThrow());
  }
}
