package dev.holdfast.tool.patch;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;

/** Reads and writes names of files in diffs: perhaps quoted, perhaps with a time after them. */
final class QuotedPath {
  /** The name of the missing side of a new or deleted file. */
  static final String NONE = "/dev/null";

  private static final Pattern TIME = Pattern.compile("(?s)\\s\\d{4}-\\d{2}-\\d{2}[ T]\\d.*");
  private static final String ESCAPED = "abtnvfr\"\\";
  private static final String PLAIN = "\u0007\b\t\n\u000b\f\r\"\\";

  private QuotedPath() {}

  /**
   * Reads the rest of a {@code ---} or {@code +++} line; returns {@link #NONE} for all ways to
   * write it.
   */
  static String ofHeader(String text) throws PatchRejection {
    String name = text.strip();
    if (name.startsWith("\"")) {
      name = unquoted(name);
    } else {
      int tab = text.indexOf('\t');
      name =
          tab >= 0 ? text.substring(0, tab).strip() : TIME.matcher(name).replaceFirst("").strip();
      name =
          name.length() > 1 && name.startsWith("`") && name.endsWith("`")
              ? name.substring(1, name.length() - 1)
              : name;
    }
    return switch (name) {
      case NONE, "dev/null", "a/dev/null", "b/dev/null", "nul", "NUL" -> NONE;
      default -> name;
    };
  }

  /** Reads a name that may be quoted as C strings are. */
  static String unquoted(String text) throws PatchRejection {
    if (!text.startsWith("\"")) {
      return text;
    }
    int end = closing(text);
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int at = 1; at < end; ) {
      char c = text.charAt(at);
      if (c != '\\') {
        int next = at + Character.charCount(text.codePointAt(at));
        bytes.writeBytes(text.substring(at, next).getBytes(StandardCharsets.UTF_8));
        at = next;
      } else if (at + 3 < end && text.substring(at + 1, at + 4).matches("[0-3][0-7]{2}")) {
        bytes.write(Integer.parseInt(text.substring(at + 1, at + 4), 8));
        at += 4;
      } else {
        int which = ESCAPED.indexOf(text.charAt(at + 1));
        if (which < 0) {
          throw PatchRejection.malformed("The quoted file name " + text + " has a wrong escape.");
        }
        bytes.write(PLAIN.charAt(which));
        at += 2;
      }
    }
    return bytes.toString(StandardCharsets.UTF_8);
  }

  /** Returns the end of the quote that a text begins with. */
  static int closing(String text) throws PatchRejection {
    for (int at = 1; at < text.length(); at++) {
      if (text.charAt(at) == '\\') {
        at++;
      } else if (text.charAt(at) == '"') {
        return at;
      }
    }
    throw PatchRejection.malformed("The file name " + text + " lacks its closing quote.");
  }

  /** Quotes a name as git accepts it in any header; control characters have been refused before. */
  static String quoted(String name) {
    boolean plain = name.chars().allMatch(c -> c > ' ' && c != '"' && c != '\\');
    return plain ? name : "\"" + name.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
  }
}
