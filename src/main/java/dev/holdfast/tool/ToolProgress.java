package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;

/**
 * Hears of the calls of a batch while it runs, on the tools' own threads: it has to be thread-safe.
 * A call waits until it returns; what it throws ends the batch.
 */
public interface ToolProgress {
  /** Listens to nothing. */
  ToolProgress NONE =
      new ToolProgress() {
        @Override
        public void starting(ToolCall call) {
          // Nobody wants to know.
        }

        @Override
        public void retrying(ToolRetrying retry) {
          // Nobody wants to know.
        }

        @Override
        public void finished(ToolReply reply) {
          // Nobody wants to know.
        }
      };

  /**
   * A tool that is not idempotent is about to run, for the first time in this call. What is refused
   * before it runs, such as a call with wrong arguments, is never said to start.
   *
   * @throws InterruptedException where the batch is over already: the tool must not run
   */
  void starting(ToolCall call) throws InterruptedException;

  /** A tool is about to run, for the first time in this call, whether it is idempotent or not. */
  default void running(ToolCall call) {}

  /** A tool has failed and runs again after a wait, which begins when this returns (C33). */
  void retrying(ToolRetrying retry);

  /** A call has ended, whether its tool ran or not, and whatever becomes of the others. */
  void finished(ToolReply reply) throws InterruptedException;
}
