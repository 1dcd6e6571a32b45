package dev.holdfast.tool.patch;

/**
 * The bounds on what a single patch changes (E46).
 *
 * @param maxFiles default 50
 * @param maxLines added and removed ones together; default 1000
 * @param maxBytes of the model's output; default 1 MiB
 * @param allowBinary whether git's binary patches are taken; default false
 * @param allowModeChanges whether the mode of a file that is there may change; default false. A new
 *     file may be executable anyway.
 */
public record PatchLimits(
    int maxFiles, int maxLines, int maxBytes, boolean allowBinary, boolean allowModeChanges) {
  public static final PatchLimits DEFAULT = new PatchLimits(50, 1000, 1 << 20, false, false);

  public PatchLimits {
    if (maxFiles < 1 || maxLines < 1 || maxBytes < 1) {
      throw new IllegalArgumentException("a limit of a patch must be at least 1");
    }
  }
}
