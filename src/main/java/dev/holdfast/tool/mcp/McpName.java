package dev.holdfast.tool.mcp;

import java.util.Collection;
import java.util.Locale;

/** The names under which a model sees the tools of servers: {@code mcp__SERVER__TOOL}. */
final class McpName {
  /** The longest name that model providers allow, of letters, digits, underscore and hyphen. */
  static final int MAX = 64;

  private static final int HASH = 9;

  private McpName() {}

  /**
   * @param taken names that it must not be
   */
  static String of(String server, String tool, Collection<String> taken) {
    String name = "mcp__" + plain(server) + "__" + plain(tool);
    if (name.length() <= MAX && !taken.contains(name)) {
      return name;
    }
    String hash = String.format(Locale.ROOT, "_%08x", (server + "\0" + tool).hashCode());
    return name.substring(0, Math.min(name.length(), MAX - HASH)) + hash;
  }

  private static String plain(String text) {
    return text.replaceAll("[^a-zA-Z0-9_-]", "_");
  }
}
