package dev.holdfast.config;

import dev.holdfast.schema.NearestKey;
import java.util.Collection;
import java.util.Comparator;

/** Finds the key or the variable that somebody may have meant. */
final class NearestName {
  private NearestName() {}

  /**
   * Returns the known name with the fewest edits from the given one. Nearest of all is a name where
   * only the section is missing, then one where the last words are missing: {@code
   * worker.heartbeat}.
   *
   * @param known not empty
   */
  static String of(String given, Collection<String> known) {
    return known.stream()
        .filter(name -> name.endsWith("." + given))
        .findFirst()
        .or(
            () ->
                known.stream()
                    .filter(name -> name.startsWith(given + "-") || name.startsWith(given + "_"))
                    .findFirst())
        .orElseGet(
            () ->
                known.stream()
                    .min(Comparator.comparingInt(name -> NearestKey.distance(given, name)))
                    .orElseThrow());
  }
}
