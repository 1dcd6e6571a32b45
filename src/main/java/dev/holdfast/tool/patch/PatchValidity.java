package dev.holdfast.tool.patch;

import java.util.List;

/**
 * The validity of a model's output as a patch: it can be read and is allowed, applied or not (E26).
 */
public sealed interface PatchValidity {
  /**
   * @param files relative paths, sorted; empty for a patch that changes nothing (E44)
   */
  record Valid(List<String> files, int linesAdded, int linesRemoved) implements PatchValidity {
    public Valid {
      files = List.copyOf(files);
    }
  }

  /**
   * @param rejection of a kind that is {@linkplain PatchResult.Kind#isInvalid invalid}, or {@code
   *     DOES_NOT_APPLY} where a search text is not in its file
   */
  record Invalid(PatchResult.Rejected rejection) implements PatchValidity {}
}
