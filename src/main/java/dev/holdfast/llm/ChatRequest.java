package dev.holdfast.llm;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One call of a model.
 *
 * @param model the provider's own name for it
 * @param system the system prompt; "" for none
 * @param maxOutputTokens null for the provider's default
 * @param timeout for the whole call, from its start to the last byte (B18)
 */
public record ChatRequest(
    String model,
    String system,
    List<Message> messages,
    List<ToolSpec> tools,
    ToolChoice toolChoice,
    @Nullable Integer maxOutputTokens,
    Duration timeout) {
  public ChatRequest {
    messages = List.copyOf(messages);
    tools = List.copyOf(tools);
  }

  public ChatRequest withMaxOutputTokens(int most) {
    return new ChatRequest(model, system, messages, tools, toolChoice, most, timeout);
  }

  /**
   * Returns the request with a bound for its answer: its own bound, or this one where it has none.
   */
  public ChatRequest bounded(int most) {
    return maxOutputTokens == null ? withMaxOutputTokens(most) : this;
  }

  public ChatRequest withTimeout(Duration other) {
    return new ChatRequest(model, system, messages, tools, toolChoice, maxOutputTokens, other);
  }
}
