package dev.holdfast.config;

import java.util.List;
import java.util.Locale;

/** What a provider of models speaks. */
public enum ProviderType {
  OPENAI,
  ANTHROPIC,
  /** Plays a script; no model is asked. */
  SCRIPTED;

  static final KeyType<ProviderType> TYPE =
      new KeyType.Choice<>(List.of(values()), ProviderType::wireName);

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
