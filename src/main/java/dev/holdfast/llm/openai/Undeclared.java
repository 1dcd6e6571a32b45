package dev.holdfast.llm.openai;

import com.openai.core.JsonValue;
import com.openai.models.chat.completions.ChatCompletionChunk;
import com.openai.models.chat.completions.ChatCompletionChunk.Choice;
import com.openai.models.completions.CompletionUsage;
import java.util.Map;

/**
 * The fields of a chunk's parts that the SDK has no names for. It wants {@code _allProperties()} to
 * be asked now, which writes and reads all of a part again each time: half of what a streamed chunk
 * costs. A field that the SDK gives a name one day is no longer found here; the tests of what
 * servers send say so.
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
