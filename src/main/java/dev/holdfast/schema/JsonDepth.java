package dev.holdfast.schema;

import tools.jackson.databind.JsonNode;

/** How deep JSON is nested: readers and writers take 500 levels. */
public final class JsonDepth {
  private JsonDepth() {}

  /**
   * Returns true if it has more levels of objects and arrays than these; a number or text has none.
   */
  public static boolean isDeeper(JsonNode node, int levels) {
    return node.isContainer()
        && (levels == 0 || node.valueStream().anyMatch(each -> isDeeper(each, levels - 1)));
  }
}
