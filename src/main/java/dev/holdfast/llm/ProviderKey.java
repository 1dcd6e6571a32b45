package dev.holdfast.llm;

import dev.holdfast.failure.Sha256;
import java.util.ArrayList;
import java.util.List;

/**
 * One of a provider's keys.
 *
 * @param label what logs and rows call it: key-1 and so on
 * @param secret only for the Authorization header
 */
public record ProviderKey(String label, String secret) {
  private static final int ID_BYTES = 6;

  /**
   * The length of the shortest key that counts as a secret. A server without keys gets a word such
   * as "none" or "ollama", which may occur in any text.
   */
  private static final int SHORTEST_SECRET = 8;

  /**
   * Returns the keys of a provider, in the order in which they are used.
   *
   * @param secrets empty for a server that wants none: it gets one that says nothing
   */
  public static List<ProviderKey> numbered(List<String> secrets) {
    List<String> all = secrets.isEmpty() ? List.of(Account.NO_KEY) : secrets;
    List<ProviderKey> keys = new ArrayList<>();
    for (String secret : all) {
      keys.add(new ProviderKey("key-" + (keys.size() + 1), secret));
    }
    return List.copyOf(keys);
  }

  /**
   * Returns the start of the key's SHA-256. It distinguishes keys on every worker and reveals
   * nothing about them.
   */
  public String id() {
    return Sha256.hex(secret, ID_BYTES);
  }

  /** True if the key must be hidden in texts that contain it. */
  public boolean isSecret() {
    return secret.length() >= SHORTEST_SECRET;
  }

  @Override
  public String toString() {
    return label;
  }
}
