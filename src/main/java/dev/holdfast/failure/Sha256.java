package dev.holdfast.failure;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** The SHA-256 of a text's UTF-8: of fingerprints, and of what else is the same for equal texts. */
public final class Sha256 {
  private Sha256() {}

  public static byte[] of(String text) {
    try {
      return MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every Java has SHA-256", e);
    }
  }

  /** In lower-case hex. */
  public static String hex(String text) {
    return HexFormat.of().formatHex(of(text));
  }

  /** Its first bytes in lower-case hex. */
  public static String hex(String text, int bytes) {
    return HexFormat.of().formatHex(of(text), 0, bytes);
  }
}
