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
            .orElseGet(() -> number(Undeclared.of(usage), "prompt_cache_hit_tokens"));
    long written = details.map(all -> known(all._cacheWriteTokens())).orElse(0L);
    long prompt = known(usage._promptTokens());
    Optional<Long> reasoning =
        usage._completionTokensDetails().asKnown().flatMap(all -> all._reasoningTokens().asKnown());
    long output =
        output(prompt, known(usage._completionTokens()), known(usage._totalTokens()), reasoning);
    return parts(prompt, read, written, output);
  }

  /** Reads the usage of an object that has a field for it, such as one of Moonshot's choices. */
  static Optional<Usage> within(Map<String, JsonValue> fields) {
    return object(fields, "usage")
        .map(
            usage -> {
              long prompt = number(usage, "prompt_tokens");
              Optional<Long> reasoning =
                  object(usage, "completion_tokens_details")
                      .filter(details -> details.containsKey("reasoning_tokens"))
                      .map(details -> number(details, "reasoning_tokens"));
              long output =
                  output(
                      prompt,
                      number(usage, "completion_tokens"),
                      number(usage, "total_tokens"),
                      reasoning);
              return parts(prompt, number(usage, "cached_tokens"), 0, output);
            });
  }

  /** Reads the usage of one of Groq's chunks, which have it in a place of their own. */
  static Optional<Usage> ofGroq(Map<String, JsonValue> chunk) {
    return object(chunk, "x_groq").flatMap(OpenAiUsage::within);
  }

  /**
   * Returns the output tokens. xAI leaves the reasoning out of the completion's tokens; only the
   * total has it.
   */
  private static long output(long prompt, long completion, long total, Optional<Long> reasoning) {
    if (prompt == 0) {
      return completion;
    }
    long most = reasoning.map(tokens -> completion + Math.max(0, tokens)).orElse(Long.MAX_VALUE);
    return Math.max(completion, Math.min(total - prompt, most));
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
