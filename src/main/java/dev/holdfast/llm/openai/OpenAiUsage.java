package dev.holdfast.llm.openai;

import com.openai.core.JsonField;
import com.openai.core.JsonValue;
import com.openai.models.completions.CompletionUsage;
import dev.holdfast.llm.Usage;
import java.util.Map;
import java.util.Optional;

/** Tokens as OpenAI and its imitators count them: the prompt includes what came from the cache. */
final class OpenAiUsage {
  private OpenAiUsage() {}

  static Usage of(CompletionUsage usage) {
    Optional<CompletionUsage.PromptTokensDetails> details = usage._promptTokensDetails().asKnown();
    long read =
        details
            .map(all -> known(all._cachedTokens()))
            .filter(count -> count > 0)
            .orElseGet(() -> number(usage._allProperties(), "prompt_cache_hit_tokens"));
    long written = details.map(all -> known(all._cacheWriteTokens())).orElse(0L);
    return parts(known(usage._promptTokens()), read, written, known(usage._completionTokens()));
  }

  /** Of an object with a field for it, such as a choice of Moonshot's. */
  static Optional<Usage> within(Map<String, JsonValue> fields) {
    return object(fields, "usage")
        .map(
            usage ->
                parts(
                    number(usage, "prompt_tokens"),
                    number(usage, "cached_tokens"),
                    0,
                    number(usage, "completion_tokens")));
  }

  /** Of a chunk of Groq's, which has it in a place of its own. */
  static Optional<Usage> ofGroq(Map<String, JsonValue> chunk) {
    return object(chunk, "x_groq").flatMap(OpenAiUsage::within);
  }

  private static Usage parts(long prompt, long read, long written, long output) {
    return new Usage(Math.max(0, prompt - read - written), read, written, output);
  }

  private static long known(JsonField<Long> count) {
    return Math.max(0, count.asKnown().orElse(0L));
  }

  private static long number(Map<String, JsonValue> object, String field) {
    JsonField<?> value = object.get(field);
    return value == null ? 0 : Math.max(0, value.asNumber().map(Number::longValue).orElse(0L));
  }

  private static Optional<Map<String, JsonValue>> object(
      Map<String, JsonValue> others, String field) {
    JsonField<?> value = others.get(field);
    return value == null ? Optional.empty() : value.asObject();
  }
}
