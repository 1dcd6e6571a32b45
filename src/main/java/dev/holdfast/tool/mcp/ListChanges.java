package dev.holdfast.tool.mcp;

import io.modelcontextprotocol.spec.McpSchema.JSONRPCMessage;
import io.modelcontextprotocol.spec.McpSchema.JSONRPCNotification;

/**
 * Filters a server's messages that its tools, prompts or resources have changed. A session goes on
 * with the tools that it began with; the SDK would fetch all pages at each message, however many
 * there are.
 */
final class ListChanges {
  private ListChanges() {}

  static boolean isNone(JSONRPCMessage message) {
    return !(message instanceof JSONRPCNotification said
        && said.method().endsWith("/list_changed"));
  }
}
