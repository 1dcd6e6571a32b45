package dev.holdfast.llm;

/**
 * One of a provider's keys.
 *
 * @param label what logs and rows call it: key-1 and so on
 * @param secret only for the Authorization header
 */
public record ProviderKey(String label, String secret) {
  @Override
  public String toString() {
    return label;
  }
}
