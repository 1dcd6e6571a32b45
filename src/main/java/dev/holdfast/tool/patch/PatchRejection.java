package dev.holdfast.tool.patch;

import dev.holdfast.failure.Sha256;
import dev.holdfast.tool.patch.PatchResult.Kind;
import dev.holdfast.tool.patch.PatchResult.Rejected;

/**
 * Carries a rejection out of the reading of a patch; {@link PatchApplier} turns it into a value.
 */
final class PatchRejection extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient Rejected rejected;

  /** Makes one whose explanation decides whether it equals another. */
  PatchRejection(Kind kind, String explanation) {
    this(kind, explanation, explanation);
  }

  /**
   * @param identity what makes it equal to another, where the explanation shows more than that
   */
  PatchRejection(Kind kind, String explanation, String identity) {
    super(explanation);
    this.rejected = new Rejected(kind, explanation.strip(), Sha256.hex(kind + "\n" + identity));
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
}
