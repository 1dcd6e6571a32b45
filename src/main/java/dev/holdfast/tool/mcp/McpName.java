package dev.holdfast.tool.mcp;

import java.util.Collection;
import java.util.Locale;
import java.util.regex.Pattern;

/** The names under which a model sees the tools of servers: {@code mcp__SERVER__TOOL}. */
public final class McpName {
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
    return beforeHash(name) + hash;
  }

  private static String beforeHash(String name) {
    return name.substring(0, Math.min(name.length(), MAX - HASH));
  }

  /**
   * True if a listed name may mean the tool of a name. It is the same name, or the name has a hash
   * after it because another tool had the listed name first.
   */
  public static boolean mayMean(String listed, String name) {
    return name.equals(listed)
        || name.matches(Pattern.quote(beforeHash(listed)) + "_[0-9a-f]{" + (HASH - 1) + "}");
  }

  private static String plain(String text) {
    return text.replaceAll("[^a-zA-Z0-9_-]", "_");
  }
}
