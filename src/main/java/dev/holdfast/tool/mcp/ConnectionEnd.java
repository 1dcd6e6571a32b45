package dev.holdfast.tool.mcp;

/**
 * The reason why nothing more comes from a server.
 *
 * @param forgotten true where the server is well, but does not know the session any more
 */
record ConnectionEnd(String reason, boolean forgotten) {
  static final ConnectionEnd FORGOTTEN =
      new ConnectionEnd("it does not know the session any more", true);

  static final ConnectionEnd UNANSWERED = because("its response ended without an answer");

  static ConnectionEnd because(String reason) {
    return new ConnectionEnd(reason, false);
  }
}
