package dev.holdfast.testing;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * An answer of a model, in no vendor's shape.
 *
 * @param stop the vendor's own stop reason; null for the usual one
 */
public record ModelReply(
    String text, String reasoning, List<ToolCall> toolCalls, Usage usage, @Nullable String stop) {
  public ModelReply {
    toolCalls = List.copyOf(toolCalls);
  }

  public static ModelReply text(String text) {
    return new ModelReply(text, "", List.of(), new Usage(10, 0, 0, 5), null);
  }

  public static ModelReply calls(ToolCall... calls) {
    return new ModelReply("", "", List.of(calls), new Usage(10, 0, 0, 5), null);
  }

  public ModelReply withText(String other) {
    return new ModelReply(other, reasoning, toolCalls, usage, stop);
  }

  public ModelReply withReasoning(String other) {
    return new ModelReply(text, other, toolCalls, usage, stop);
  }

  public ModelReply withUsage(Usage other) {
    return new ModelReply(text, reasoning, toolCalls, other, stop);
  }

  public ModelReply withStop(String other) {
    return new ModelReply(text, reasoning, toolCalls, usage, other);
  }
}
