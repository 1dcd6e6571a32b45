package dev.holdfast.tool.patch;

import dev.holdfast.tool.git.Git;
import java.io.IOException;
import java.nio.file.Path;

/**
 * Applies what a model answers to a directory (E40-E46). Accepted are unified diffs, whole-file
 * blocks and search/replace blocks, within prose and code fences, several in one answer. All of it
 * is applied or nothing. The last word has {@code git apply}, in a fixed locale, without any
 * repository or configuration.
 *
 * <p>Thread-safe; two patches of one directory at the same time are the caller's to keep apart.
 */
public final class PatchApplier {
  private final Git git;
  private final PatchLimits limits;

  public PatchApplier(Git git, PatchLimits limits) {
    this.git = git;
    this.limits = limits;
  }

  /**
   * @param directory the root that the patch's paths are relative to
   * @param modelOutput all of the model's answer
   * @throws IOException if the directory cannot be read or git cannot be started
   * @throws InterruptedException if the thread was interrupted; the directory is then as it was
   */
  public PatchResult apply(Path directory, String modelOutput)
      throws IOException, InterruptedException {
    throw new UnsupportedOperationException("not yet: " + git + limits);
  }

  /** Reads and checks as {@link #apply} does, but changes nothing and does not run git apply. */
  public PatchValidity validate(Path directory, String modelOutput)
      throws IOException, InterruptedException {
    throw new UnsupportedOperationException();
  }
}
