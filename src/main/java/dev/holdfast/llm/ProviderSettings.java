package dev.holdfast.llm;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One entry under {@code providers} in the configuration.
 *
 * @param baseUrl null for the vendor's own; OpenAI-compatible ones end in {@code /v1} as a rule
 * @param keys in the order in which they are used; empty for a server that wants none
 * @param maxAnswerChars a longer answer is cut off and counts as invalid
 */
public record ProviderSettings(
    String name, @Nullable String baseUrl, List<String> keys, Prices prices, int maxAnswerChars) {
  public static final int DEFAULT_MAX_ANSWER_CHARS = 4 * 1024 * 1024;

  public ProviderSettings {
    keys = List.copyOf(keys);
    if (maxAnswerChars < 1) {
      throw new IllegalArgumentException("maxAnswerChars must be positive: " + maxAnswerChars);
    }
  }

  public ProviderSettings(String name, @Nullable String baseUrl, List<String> keys, Prices prices) {
    this(name, baseUrl, keys, prices, DEFAULT_MAX_ANSWER_CHARS);
  }

  /** Returns the accounts in the order in which their keys are used. */
  public List<Account> accounts() {
    return ProviderKey.numbered(keys).stream()
        .map(key -> new Account(name, keys.isEmpty() ? Account.NO_KEY : key.id(), key.label()))
        .toList();
  }

  /** Leaves out the keys. */
  @Override
  public String toString() {
    return "ProviderSettings[" + name + ", " + baseUrl + ", " + keys.size() + " keys]";
  }
}
