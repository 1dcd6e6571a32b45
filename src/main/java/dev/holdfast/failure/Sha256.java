package dev.holdfast.failure;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Makes the SHA-256 of a text's UTF-8, for fingerprints and for other values that are the same for
 * equal texts.
 */
public final class Sha256 {
  private Sha256() {}

  public static byte[] of(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** Returns it in lower-case hex. */
  public static String hex(String text) {
    return HexFormat.of().formatHex(of(text));
  }

  /** Returns its first bytes in lower-case hex. */
  public static String hex(String text, int bytes) {
    return HexFormat.of().formatHex(of(text), 0, bytes);
  }
}
