package dev.holdfast.tool.patch;

import java.util.List;

/**
 * The result of applying a patch. Where it was not applied, not a byte of the directory has
 * changed.
 */
public sealed interface PatchResult {
  /**
   * All of the patch is applied.
   *
   * @param filesChanged relative paths as git reports them, sorted; of a rename both names
   * @param linesAdded by the patch
   * @param linesRemoved by the patch
   * @param diff the unified diff that git applied: what a whole-file or a search/replace block came
   *     to, without the prose and the fences; ends with a line feed. Given to {@link PatchApplier}
   *     again on the same tree it does the same, which is what a journal needs.
   */
  record Applied(List<String> filesChanged, int linesAdded, int linesRemoved, String diff)
      implements PatchResult {
    public Applied {
      filesChanged = List.copyOf(filesChanged);
    }

    /** The size that "the smallest diff" compares (E28). */
    public int size() {
      return linesAdded + linesRemoved;
    }
  }

  /**
   * The patch has headers only, or blocks that say what the files say already: a success that
   * changes nothing (E44). Git was not run.
   */
  record NoOp() implements PatchResult {}

  /**
   * The patch was not applied, and nothing was changed.
   *
   * @param explanation for the model, so that it can correct its patch: what is wrong, where, what
   *     the file says there, what to write instead; ends without a line feed
   * @param errorHash sha-256 in lower-case hex; equal for equal errors ({@code lastApplyErrorHash},
   *     E34)
   */
  record Rejected(Kind kind, String explanation, String errorHash) implements PatchResult {}

  /** Why a patch was not applied. */
  enum Kind {
    /** Neither a diff nor a block of any accepted form is in the output (E22). */
    NO_DIFF,
    /** There is one, but it cannot be read, or contradicts itself. */
    MALFORMED,
    /** A path leads where no patch may write, or it does what no patch may do (E46). */
    UNSAFE,
    /** More files, lines or bytes than {@link PatchLimits} allows (E46). */
    TOO_LARGE,
    /** It can be read, but does not fit the files as they are (E34, E42). */
    DOES_NOT_APPLY,
    /** Git or the disk failed; not the model's fault. */
    GIT_FAILED;

    /**
     * True if the output holds no valid patch at all, as {@code consecutiveInvalidDiffs} counts.
     */
    public boolean isInvalid() {
      return this == NO_DIFF || this == MALFORMED || this == UNSAFE || this == TOO_LARGE;
    }
  }
}
