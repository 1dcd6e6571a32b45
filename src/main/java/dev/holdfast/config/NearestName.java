package dev.holdfast.config;

import dev.holdfast.schema.NearestKey;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds the name that somebody may have meant. */
public final class NearestName {
  private NearestName() {}

  /**
   * Returns the known name with the fewest edits from the given one. Nearest of all is a name where
   * only the section is missing, then one where the last words are missing: {@code
   * worker.heartbeat}.
   *
   * @param known not empty
   */
  public static String of(String given, Collection<String> known) {
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

  /**
   * Returns the known name that was probably meant: the only one that contains the given one, or
   * one that is near enough to be a typing error. Another guess would send people the wrong way.
   */
  public static Optional<String> meant(String given, Collection<String> known) {
    List<String> longer = known.stream().filter(name -> name.contains(given)).toList();
    return longer.size() == 1 ? Optional.of(longer.getFirst()) : NearestKey.of(given, known);
  }
}
