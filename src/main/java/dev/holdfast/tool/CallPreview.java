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
  /** The preview for tools that say nothing about their calls. */
  public static final CallPreview NOTHING = new CallPreview("", Set.of());

  public CallPreview {
    freeArguments = Set.copyOf(freeArguments);
  }

  /** Makes the preview of a call that would fail now; the cause may be gone by the time it runs. */
  public static CallPreview failing(@Nullable String why, Set<String> freeArguments) {
    return new CallPreview("It would fail as things are: " + why, freeArguments);
  }
}
