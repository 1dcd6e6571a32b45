package dev.holdfast.process;

import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;

/** Handles UTF-8 text that may be cut in the middle of a character, or begin with a mark. */
public final class Utf8 {
  /** The byte order mark that some editors put before a text; nobody sees it. */
  public static final String MARK = "\uFEFF";

  private Utf8() {}

  /** Returns the text after its byte order mark; all of it where it has none. */
  public static String withoutMark(String text) {
    return text.startsWith(MARK) ? text.substring(MARK.length()) : text;
  }

  /** Returns all of the bytes as text; throws where they are not UTF-8. */
  public static String strictly(byte[] bytes) throws CharacterCodingException {
    return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
  }

  /** Returns the text of the bytes from a place on; bytes that are not UTF-8 become U+FFFD. */
  public static String from(byte[] bytes, int from) {
    return new String(bytes, from, bytes.length - from, StandardCharsets.UTF_8);
  }

  /** Returns the same where bytes before the place are lost: leaves out the rest of a character. */
  public static String afterCut(byte[] bytes, int from) {
    int start = from;
    while (start < bytes.length && start < from + 3 && (bytes[start] & 0xC0) == 0x80) {
      start++;
    }
    return from(bytes, start);
  }

  /**
   * Returns the text of the first bytes; leaves out the beginning of a character that the cut
   * splits.
   */
  public static String upTo(byte[] bytes, int length) {
    return new String(bytes, 0, whole(bytes, length), StandardCharsets.UTF_8);
  }

  /** Returns the number of first bytes without the beginning of a character that is cut. */
  static int whole(byte[] bytes, int length) {
    int end = length;
    while (end > 0 && end > length - 4 && (bytes[end - 1] & 0xC0) == 0x80) {
      end--;
    }
    if (end > 0 && end + missing(bytes[end - 1]) <= length) {
      end = length;
    } else if (end > 0 && missing(bytes[end - 1]) > 0) {
      end--;
    }
    return end;
  }

  /** Returns the number of bytes that a character has after its first. */
  private static int missing(byte first) {
    int lead = first & 0xFF;
    return lead >= 0xF0 ? 3 : lead >= 0xE0 ? 2 : lead >= 0xC0 ? 1 : 0;
  }
}
