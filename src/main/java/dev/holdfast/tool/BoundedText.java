package dev.holdfast.tool;

import dev.holdfast.process.Utf8;
import java.nio.charset.StandardCharsets;

/** Shortens a tool's answer for the model to its beginning and its end, fit to be stored. */
final class BoundedText {
  private BoundedText() {}

  /**
   * @param maxBytes of UTF-8; the note that says how much was cut comes on top
   */
  static String of(String text, int maxBytes) {
    byte[] bytes = text.replace('\0', '\uFFFD').getBytes(StandardCharsets.UTF_8);
    if (bytes.length <= maxBytes) {
      return new String(bytes, StandardCharsets.UTF_8);
    }
    int half = maxBytes / 2;
    String head = Utf8.upTo(bytes, half);
    String tail = Utf8.afterCut(bytes, bytes.length - half);
    return "%s\n[... %s of %s bytes cut here: ask for less, or for a part ...]\n%s"
        .formatted(head, bytes.length - 2 * half, bytes.length, tail);
  }
}
