package dev.holdfast.tool.patch;

import dev.holdfast.tool.patch.PatchResult.Kind;
import dev.holdfast.tool.patch.PatchResult.Rejected;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Leads a rejection out of the reading of a patch; {@link PatchApplier} makes it a value. */
final class PatchRejection extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Rejected rejected;

  /** An error whose explanation is what makes it equal to another. */
  PatchRejection(Kind kind, String explanation) {
    this(kind, explanation, explanation);
  }

  /**
   * @param identity what makes it equal to another, where the explanation shows more than that
   */
  PatchRejection(Kind kind, String explanation, String identity) {
    super(explanation);
    this.rejected = new Rejected(kind, explanation.strip(), hash(kind + "\n" + identity));
  }

  static PatchRejection malformed(String explanation) {
    return new PatchRejection(Kind.MALFORMED, explanation);
  }

  static PatchRejection unsafe(String explanation) {
    return new PatchRejection(Kind.UNSAFE, explanation);
  }

  Rejected rejected() {
    return rejected;
  }

  private static String hash(String text) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
      return HexFormat.of().formatHex(digest);
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
