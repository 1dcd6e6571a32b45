package dev.holdfast.llm;

import dev.holdfast.llm.anthropic.AnthropicApi;
import dev.holdfast.llm.openai.OpenAiApi;
import dev.holdfast.llm.wire.VendorApi;
import dev.holdfast.llm.wire.WireProvider;
import dev.holdfast.testing.ModelServer;
import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;

/** The two SDKs, for tests that hold for both. */
enum Vendor {
  OPENAI,
  ANTHROPIC;

  static final Instant NOW = Instant.parse("2026-11-21T12:00:00Z");

  ChatProvider on(ModelServer models, WireListener wire) {
    return on(models, wire, List.of("secret-1"));
  }

  ChatProvider on(ModelServer models, WireListener wire, List<String> keys) {
    return on(new ProviderSettings(name(), url(models), keys, Prices.NONE), wire);
  }

  ChatProvider on(ProviderSettings settings, WireListener wire) {
    Clock clock = Clock.fixed(NOW, ZoneOffset.UTC);
    VendorApi api =
        switch (this) {
          case OPENAI -> new OpenAiApi(settings.name(), settings.baseUrl());
          case ANTHROPIC -> new AnthropicApi(settings.name(), settings.baseUrl());
        };
    return new WireProvider(settings, api, wire, System::nanoTime, clock);
  }

  String url(ModelServer models) {
    return this == OPENAI ? models.openAiUrl() : models.anthropicUrl();
  }
}
