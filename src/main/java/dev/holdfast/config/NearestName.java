package dev.holdfast.config;

import dev.holdfast.schema.NearestKey;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

/** Finds what somebody may have meant. */
public final class NearestName {
  private NearestName() {}

  /**
   * The known name with the fewest edits from the given one; nearest of all is one that only lacks
   * its section, then one of whose words the last are left out: {@code worker.heartbeat}.
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
   * The known name that was probably meant: the only one that contains the given one, or else one
   * that is near enough to be a slip of the pen. Another guess would send people the wrong way.
   */
  public static Optional<String> meant(String given, Collection<String> known) {
    List<String> longer = known.stream().filter(name -> name.contains(given)).toList();
    return longer.size() == 1 ? Optional.of(longer.getFirst()) : NearestKey.of(given, known);
  }
}
