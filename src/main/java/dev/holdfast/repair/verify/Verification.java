package dev.holdfast.repair.verify;

import dev.holdfast.failure.ShortText;
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
  private static final int MAX_LINE = 300;

  public Verification {
    runs = List.copyOf(runs);
    failing = List.copyOf(failing);
    changedFiles = List.copyOf(changedFiles);
  }

  /**
   * Describes for a model or a person what failed, then the ends of the failed commands' outputs.
   *
   * @param maxChars about so many characters
   */
  public String report(int maxChars) {
    StringBuilder text = new StringBuilder();
    if (flaky) {
      text.append("It passed once and failed when it was run again on the same files.\n");
    }
    for (FailingCheck check : failing) {
      if (text.length() > maxChars / 2) {
        text.append("... and more failing checks\n");
        break;
      }
      text.append("FAILED ").append(check.command()).append(": ").append(check.name()).append('\n');
      check
          .message()
          .lines()
          .limit(12)
          .forEach(line -> text.append("    ").append(ShortText.of(line, MAX_LINE)).append('\n'));
    }
    if (!changedFiles.isEmpty()) {
      text.append("The verification itself changed files, which was undone: ");
      text.append(String.join(", ", changedFiles.stream().limit(10).toList())).append('\n');
    }
    for (CheckRun run : runs) {
      int left = maxChars - text.length();
      if (!run.passed() && left > 200) {
        text.append("OUTPUT of ").append(run.name()).append(" (").append(run.end()).append("):\n");
        String output = run.output().strip();
        text.append(
            output.length() <= left ? output : "…" + output.substring(output.length() - left));
        text.append('\n');
      }
    }
    return text.toString().strip();
  }
}
