package dev.holdfast.tool.git;

import java.io.IOException;

/** Runs git. Thread-safe. */
@FunctionalInterface
public interface Git {
  /**
   * @throws IOException if it cannot be started
   * @throws InterruptedException if the thread was interrupted; git is gone then
   */
  GitResult run(GitCommand command) throws IOException, InterruptedException;
}
