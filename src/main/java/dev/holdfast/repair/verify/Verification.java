package dev.holdfast.repair.verify;

import java.util.List;
import java.util.Optional;

/**
 * The outcome of a design's verification.
 *
 * @param passed every command passed, twice where that was asked for
 * @param runs of each command in the design's order, all of them even where an early one fails; of
 *     a second run that disagrees with the first, the second
 * @param failing all failing checks, in that order
 * @param failureSignature sha-256 in lower-case hex of the failing checks and their normalised
 *     output (E23); empty if it passed
 * @param flaky it passed, and failed when it ran again on the same files; {@code passed} is false
 *     then
 * @param changedFiles what the verification itself changed, made or deleted among the files that
 *     are not ignored; the worktree has been restored. Empty for a clean one.
 */
public record Verification(
    boolean passed,
    List<CheckRun> runs,
    List<FailingCheck> failing,
    Optional<String> failureSignature,
    boolean flaky,
    List<String> changedFiles) {
  public Verification {
    runs = List.copyOf(runs);
    failing = List.copyOf(failing);
    changedFiles = List.copyOf(changedFiles);
  }

  /**
   * For a model or a person: the failing checks and the ends of the outputs, so many characters.
   */
  public String report(int maxChars) {
    throw new UnsupportedOperationException();
  }
}
