package dev.holdfast.failure;

/** Cuts a text that may be long to its beginning, for messages. */
public final class ShortText {
  private ShortText() {}

  /** At most so many characters; an ellipsis after them says that more followed. */
  public static String of(String text, int most) {
    if (text.length() <= most) {
      return text;
    }
    // Half a pair is no text, and vendors refuse a request with one.
    int end = Character.isHighSurrogate(text.charAt(most - 1)) ? most - 1 : most;
    return text.substring(0, end) + "…";
  }
}
