package dev.holdfast.llm.openai;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ProviderSettings;
import dev.holdfast.llm.WireListener;
import dev.holdfast.llm.wire.WireProvider;
import java.time.Clock;
import java.util.function.LongSupplier;

/** OpenAI and every server that speaks its chat completions: vLLM, Ollama, OpenRouter, Azure. */
public final class OpenAiProvider {
  private OpenAiProvider() {}

  /**
   * @param clock for absolute times in answers that carry no date of their own
   */
  public static ChatProvider create(
      ProviderSettings settings, WireListener wire, LongSupplier nanoTime, Clock clock) {
    OpenAiApi api = new OpenAiApi(settings.name(), settings.baseUrl());
    return new WireProvider(settings, api, wire, nanoTime, clock);
  }
}
