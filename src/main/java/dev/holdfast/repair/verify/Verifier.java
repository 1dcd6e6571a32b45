package dev.holdfast.repair.verify;

import dev.holdfast.repair.git.Worktree;
import dev.holdfast.secret.Secrets;
import dev.holdfast.tool.sandbox.Sandbox;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Runs a design's verification in a worktree: sandboxed as {@code run_command} is, without the
 * worker's secrets, bounded in time and output, and with nothing left running. Thread-safe.
 *
 * @param environment the worker's own, of which the commands get the harmless part
 * @param secrets that nothing which is reported of a command may tell
 */
public record Verifier(Sandbox sandbox, Map<String, String> environment, Secrets secrets) {
  private static final Logger LOG = LoggerFactory.getLogger(Verifier.class);

  public Verifier {
    environment = Map.copyOf(environment);
  }

  /** The number of times that a verification must pass. */
  public enum Success {
    /** Once is enough to rank a candidate. */
    SEEN_ONCE,
    /** Twice is needed for a claimed success; a flaky one does not count as that. */
    SEEN_TWICE
  }

  /**
   * Runs all commands, in order. Whatever they change among the files that are not ignored is
   * undone.
   *
   * @param tree the worktree's snapshot
   * @throws IOException if the worktree cannot be read or restored; a command that cannot be
   *     started is a failing check instead
   * @throws InterruptedException if the thread was interrupted; the command is gone then
   */
  public Verification verify(
      Worktree worktree, String tree, List<VerifyCommand> commands, Success success)
      throws IOException, InterruptedException {
    List<String> changed = new ArrayList<>();
    List<CheckRun> runs = once(worktree, tree, commands, changed);
    boolean passed = runs.stream().allMatch(CheckRun::passed);
    boolean flaky = false;
    if (passed && success == Success.SEEN_TWICE) {
      runs = once(worktree, tree, commands, changed);
      flaky = !runs.stream().allMatch(CheckRun::passed);
    }
    List<FailingCheck> failing = runs.stream().flatMap(run -> run.failing().stream()).toList();
    return new Verification(
        passed && !flaky,
        runs,
        failing,
        FailureSignature.of(runs, worktree.directory().toString()),
        flaky,
        changed.stream().distinct().sorted().toList());
  }

  /**
   * Runs the commands one after the other in the same files, because one may need what another
   * built.
   *
   * @param before the tree that the files are, and are again after it
   * @param changed gets what they changed
   */
  private List<CheckRun> once(
      Worktree worktree, String before, List<VerifyCommand> commands, List<String> changed)
      throws IOException, InterruptedException {
    // Builds ask git what they build.
    Sandbox bounds = sandbox.showing(worktree.repository());
    CommandRun command = new CommandRun(bounds, environment, secrets);
    List<CheckRun> runs = new ArrayList<>();
    for (VerifyCommand each : commands) {
      runs.add(command.run(each, worktree.directory()));
    }
    undo(worktree, before, changed);
    return runs;
  }

  /**
   * Undoes all changes, even where git cannot read them, such as a repository of another kind or
   * useless attributes.
   */
  private static void undo(Worktree worktree, String before, List<String> changed)
      throws IOException, InterruptedException {
    String after = "";
    try {
      after = worktree.snapshot();
    } catch (IOException e) {
      LOG.debug("what a verification has left is deleted unread", e);
    }
    if (after.isEmpty()) {
      worktree.restore(before);
    } else if (!after.equals(before)) {
      changed.addAll(worktree.changes(before, after));
      worktree.restore(before);
    }
  }
}
