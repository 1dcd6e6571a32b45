package dev.holdfast.tool;

/** Is told of retries while they happen, on the tools' own threads: it has to be thread-safe. */
@FunctionalInterface
public interface ToolListener {
  /** Listens to nothing. */
  ToolListener NONE = event -> {};

  /** Must return soon: the retry waits for it. */
  void retrying(ToolRetrying event);
}
