package dev.holdfast.repair.verify;

import dev.holdfast.repair.git.Worktree;
import dev.holdfast.tool.workspace.Sandbox;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * Runs a design's verification in a worktree: sandboxed as {@code run_command} is, without the
 * worker's secrets, bounded in time and output, and with nothing left running. Thread-safe.
 */
public final class Verifier {
  private final Sandbox sandbox;
  private final Map<String, String> environment;
  private final LongSupplier nanoTime;

  /**
   * @param environment the worker's own, of which the commands get the harmless part
   */
  public Verifier(Sandbox sandbox, Map<String, String> environment, LongSupplier nanoTime) {
    this.sandbox = sandbox;
    this.environment = Map.copyOf(environment);
    this.nanoTime = nanoTime;
  }

  /** How often a verification that passes must pass. */
  public enum Success {
    /** Once: enough to rank a candidate. */
    SEEN_ONCE,
    /** Twice: what a success that is claimed needs; a flaky one is not taken for it. */
    SEEN_TWICE
  }

  /**
   * Runs all commands, in order. Whatever they change among the files that are not ignored is
   * undone.
   *
   * @throws IOException if the worktree cannot be read or restored; a command that cannot be
   *     started is a failing check instead
   * @throws InterruptedException if the thread was interrupted; the command is gone then
   */
  public Verification verify(Worktree worktree, List<VerifyCommand> commands, Success success)
      throws IOException, InterruptedException {
    throw new UnsupportedOperationException("not yet: " + sandbox + environment + nanoTime);
  }
}
