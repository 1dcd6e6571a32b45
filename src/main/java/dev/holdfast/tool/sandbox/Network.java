package dev.holdfast.tool.sandbox;

import tools.jackson.databind.JsonNode;

/** What a confined program may reach over the network. */
public enum Network {
  /** Nothing: it has a loopback interface of its own and no other. */
  NONE("no network"),
  /** All that the worker reaches, the ports of the worker's own machine among it. */
  FULL("the worker's network");

  private final String words;

  Network(String words) {
    this.words = words;
  }

  /**
   * Of a design's {@code network}, which is valid by its schema.
   *
   * @param usual where the design does not say
   */
  public static Network of(JsonNode word, Network usual) {
    return word.isMissingNode() ? usual : word.asString().equals("full") ? FULL : NONE;
  }

  /** For people and models: {@code no network}. */
  String words() {
    return words;
  }
}
