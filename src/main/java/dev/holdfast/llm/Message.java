package dev.holdfast.llm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** One entry of a conversation, in no vendor's shape. The system prompt is not one of them. */
public sealed interface Message {
  /**
   * @param retryMessage the reason, where it is a temporary "System notice: ..." of the turn runner
   *     (B60); else null
   */
  record User(String content, @Nullable String retryMessage) implements Message {
    public User(String content) {
      this(content, null);
    }
  }

  /**
   * @param text "" where the model wrote none
   * @param reasoning what the model thought aloud, "" where it did not
   * @param opaque JSON that the provider which made the answer wants back unchanged (signed
   *     reasoning); only that provider's adapter reads it, every other one leaves it out
   */
  record Assistant(String text, String reasoning, List<ToolCall> toolCalls, @Nullable String opaque)
      implements Message {
    public Assistant {
      toolCalls = List.copyOf(toolCalls);
    }

    public Assistant(String text, List<ToolCall> toolCalls) {
      this(text, "", toolCalls, null);
    }
  }

  /**
   * @param callId the id of the call it answers
   * @param failed whether the content is an error text
   */
  record ToolResult(String callId, String toolName, String content, boolean failed)
      implements Message {}
}
