package dev.holdfast.tool;

import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The preview of a tool call for the person who has to allow it.
 *
 * @param effect what it would do: a diff, a command line with its directory; empty where the
 *     arguments say it all
 * @param freeArguments names of arguments that may differ among the calls that one remembered
 *     approval covers; as a rule none
 */
public record CallPreview(String effect, Set<String> freeArguments) {
  /** Of tools that say nothing about themselves. */
  public static final CallPreview NOTHING = new CallPreview("", Set.of());

  public CallPreview {
    freeArguments = Set.copyOf(freeArguments);
  }

  /** Of a call that would fail: what it runs into may be mended by then. */
  public static CallPreview failing(@Nullable String why, Set<String> freeArguments) {
    return new CallPreview("It would fail as things are: " + why, freeArguments);
  }
}
