package dev.holdfast.llm.anthropic;

import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ProviderSettings;
import dev.holdfast.llm.WireListener;
import dev.holdfast.llm.wire.WireProvider;
import java.time.Clock;
import java.util.function.LongSupplier;

/** Anthropic's messages API. */
public final class AnthropicProvider {
  private AnthropicProvider() {}

  /**
   * @param clock for absolute times in answers that carry no date of their own
   */
  public static ChatProvider create(
      ProviderSettings settings, WireListener wire, LongSupplier nanoTime, Clock clock) {
    AnthropicApi api = new AnthropicApi(settings.name(), settings.baseUrl());
    return new WireProvider(settings, api, wire, nanoTime, clock);
  }
}
