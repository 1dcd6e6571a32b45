package dev.holdfast.handler.design;

import dev.holdfast.tool.sandbox.Network;
import tools.jackson.databind.JsonNode;

/** What a design lets its confined programs reach: its {@code network}. */
public final class DesignNetwork {
  private DesignNetwork() {}

  /** Of a document that is valid by its schema; default none. */
  public static Network of(JsonNode document) {
    return document.path("network").asString("none").equals("full") ? Network.FULL : Network.NONE;
  }
}
