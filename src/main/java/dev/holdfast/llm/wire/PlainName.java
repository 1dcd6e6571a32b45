package dev.holdfast.llm.wire;

import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * Makes names and ids from the characters that every vendor accepts. Models make up names, and each
 * server has its own form of ids. A refused one would be in every later request, too.
 */
final class PlainName {
  private static final int LONGEST_NAME = 64;
  private static final int LONGEST_ID = 40;
  private static final int HASH = 9;
  private static final Pattern PLAIN = Pattern.compile("[a-zA-Z0-9_-]+");
  private static final Pattern SHORT = Pattern.compile("[a-zA-Z0-9]{9}");
  private static final Pattern STRANGE = Pattern.compile("[^a-zA-Z0-9_-]");

  private PlainName() {}

  static String ofTool(String name) {
    return plain(name, LONGEST_NAME);
  }

  static String ofId(String id) {
    return plain(id, LONGEST_ID);
  }

  static String ofShortId(String id) {
    return SHORT.matcher(id).matches() ? id : "c" + HexFormat.of().toHexDigits(id.hashCode());
  }

  /** Replaces other characters, and adds a hash so that different texts stay different. */
  private static String plain(String text, int longest) {
    if (text.length() <= longest && PLAIN.matcher(text).matches()) {
      return text;
    }
    String start = text.substring(0, Math.min(text.length(), longest - HASH));
    String hash = HexFormat.of().toHexDigits(text.hashCode());
    return STRANGE.matcher(start).replaceAll("_") + "_" + hash;
  }
}
