package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import java.util.List;
import java.util.Optional;

/** The tools of one session. Used by one thread at a time. */
public interface ToolBox extends AutoCloseable {
  /** Returns the tools in a stable order, so that prompts stay cacheable. */
  List<ToolSpec> specs();

  /** True if a call may be repeated although an earlier one may have taken effect (C38). */
  boolean isIdempotent(String toolName);

  /** Returns the effect of a call; empty where it would be refused before it runs. */
  Optional<CallPreview> preview(ToolCall call) throws InterruptedException;

  /**
   * Runs one answer's calls, in parallel within the bound, each with its own retries (C24-C31).
   *
   * @param progress hears of each call as it starts and ends
   * @return one reply per call, in the order of the calls, whatever failed
   * @throws InterruptedException when the calling thread is interrupted; every tool is stopped
   *     first
   */
  List<ToolReply> run(List<ToolCall> calls, ToolProgress progress) throws InterruptedException;

  /** Runs the calls as {@link #run(List, ToolProgress)} does, without reporting their progress. */
  default List<ToolReply> run(List<ToolCall> calls) throws InterruptedException {
    return run(calls, ToolProgress.NONE);
  }

  @Override
  void close();
}
