package dev.holdfast.llm;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * One of a provider's keys.
 *
 * @param label what logs and rows call it: key-1 and so on
 * @param secret only for the Authorization header
 */
public record ProviderKey(String label, String secret) {
  private static final int ID_BYTES = 6;

  /** Tells keys apart on every worker, and nothing about them: the start of the SHA-256. */
  public String id() {
    try {
      byte[] hash =
          MessageDigest.getInstance("SHA-256").digest(secret.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(hash, 0, ID_BYTES);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  @Override
  public String toString() {
    return label;
  }
}
