package dev.holdfast.handler.command;

import java.nio.charset.StandardCharsets;

/** The end of UTF-8 text that may have been cut in the middle of a character. */
final class Utf8 {
  private Utf8() {}

  /**
   * The text of the bytes from a place on; what is no UTF-8 becomes U+FFFD.
   *
   * @param cut whether something was cut off before, so that the rest of a character may come
   *     first: it is left out
   */
  static String from(byte[] bytes, int from, boolean cut) {
    int start = from;
    while (cut && start < bytes.length && start < from + 3 && (bytes[start] & 0xC0) == 0x80) {
      start++;
    }
    return new String(bytes, start, bytes.length - start, StandardCharsets.UTF_8);
  }
}
