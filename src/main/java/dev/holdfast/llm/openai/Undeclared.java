package dev.holdfast.llm.openai;

import com.openai.core.JsonValue;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionChunk.Choice;
import com.openai.models.completions.CompletionUsage;
import java.util.Map;

/**
 * The fields of a chunk's parts that the SDK has no names for. The SDK recommends {@code
 * _allProperties()} instead, but that writes and reads the whole part again each time: half of the
 * cost of a streamed chunk. A field that the SDK gives a name one day is no longer found here; the
 * tests of what servers send fail then.
 */
@SuppressWarnings("deprecation")
final class Undeclared {
  private Undeclared() {}

  static Map<String, JsonValue> of(ChatCompletionChunk chunk) {
    return chunk._additionalProperties();
  }

  static Map<String, JsonValue> of(Choice choice) {
    return choice._additionalProperties();
  }

  static Map<String, JsonValue> of(Choice.Delta delta) {
    return delta._additionalProperties();
  }

  static Map<String, JsonValue> of(Choice.Delta.ToolCall piece) {
    return piece._additionalProperties();
  }

  static Map<String, JsonValue> of(CompletionUsage usage) {
    return usage._additionalProperties();
  }
}
