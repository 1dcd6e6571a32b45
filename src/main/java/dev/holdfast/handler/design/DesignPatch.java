package dev.holdfast.handler.design;

import dev.holdfast.tool.patch.PatchLimits;
import tools.jackson.databind.JsonNode;

/** A design's limits on patches: its {@code patch} (E46). */
public final class DesignPatch {
  private DesignPatch() {}

  /** Reads them from a document that is valid by its schema. */
  public static PatchLimits limits(JsonNode document) {
    JsonNode patch = document.path("patch");
    PatchLimits usual = PatchLimits.DEFAULT;
    return new PatchLimits(
        patch.path("max_files").asInt(usual.maxFiles()),
        patch.path("max_lines").asInt(usual.maxLines()),
        usual.maxBytes(),
        patch.path("allow_binary").asBoolean(usual.allowBinary()),
        usual.allowModeChanges());
  }
}
