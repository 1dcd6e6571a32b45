package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.ToolSpec;
import dev.holdfast.retry.Sleeper;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.DoubleSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tools whose calls run in parallel (C24-C31). Each call has its own attempts, and a failed one
 * neither stops nor hides another. Calls of tools that run alone keep their place in the order.
 */
public final class ParallelToolBox implements ToolBox {
  private static final Logger log = LoggerFactory.getLogger(ParallelToolBox.class);

  private final ToolSettings settings;
  private final ToolCallRunner runner;
  private final List<? extends AutoCloseable> owned;

  /**
   * @param random gives numbers from 0 to 1 for the jitter of delays
   * @param timeLeft what bounds all tools together, such as the attempt's deadline (C7)
   * @param owned what to close with the box, such as the servers behind its tools
   * @throws ConfigurationException if two tools have the same name
   */
  public ParallelToolBox(
      List<Tool> tools,
      ToolSettings settings,
      Sleeper sleeper,
      DoubleSupplier random,
      TimeLeft timeLeft,
      List<? extends AutoCloseable> owned) {
    this.settings = settings;
    this.runner =
        new ToolCallRunner(
            tools, settings, new ToolRetry(settings.retry(), sleeper, random, timeLeft), timeLeft);
    this.owned = List.copyOf(owned);
  }

  @Override
  public List<ToolSpec> specs() {
    return runner.tools().stream().map(Tool::spec).toList();
  }

  /** Returns false for an unknown name: its tool may have run before it went away. */
  @Override
  public boolean isIdempotent(String toolName) {
    return runner.isIdempotent(toolName);
  }

  @Override
  public Optional<CallPreview> preview(ToolCall call) throws InterruptedException {
    return runner.preview(call);
  }

  @Override
  public List<ToolReply> run(List<ToolCall> calls, ToolProgress progress)
      throws InterruptedException {
    List<ToolReply> replies = new ArrayList<>();
    while (replies.size() < calls.size()) {
      List<ToolCall> next = together(calls.subList(replies.size(), calls.size()));
      List<Callable<ToolReply>> tasks = new ArrayList<>();
      next.forEach(call -> tasks.add(() -> finished(call, progress)));
      replies.addAll(BoundedParallel.run(tasks, settings.width(), settings.stopGrace()));
    }
    return replies;
  }

  private ToolReply finished(ToolCall call, ToolProgress progress) throws InterruptedException {
    ToolReply reply = runner.run(call, progress);
    progress.finished(reply);
    return reply;
  }

  /**
   * Returns the first calls that may run at the same time; a single one where its tool runs alone.
   */
  private List<ToolCall> together(List<ToolCall> calls) {
    int end = 0;
    while (end < calls.size() && !runner.runsAlone(calls.get(end).name())) {
      end++;
    }
    return calls.subList(0, Math.max(1, end));
  }

  @Override
  public void close() {
    for (AutoCloseable each : owned) {
      try {
        each.close();
      } catch (Exception e) {
        log.warn("Something behind the tools could not be closed: {}", ErrorLine.of(e));
      }
    }
  }
}
