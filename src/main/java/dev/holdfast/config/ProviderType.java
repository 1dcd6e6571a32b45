package dev.holdfast.config;

import java.util.List;
import java.util.Locale;

/** The protocol of a provider of models. */
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
