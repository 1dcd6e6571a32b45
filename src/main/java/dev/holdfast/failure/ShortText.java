package dev.holdfast.failure;

/** The beginning of a text that may be long, for messages. */
public final class ShortText {
  private ShortText() {}

  /** At most so many characters; an ellipsis after them tells that more followed. */
  public static String of(String text, int most) {
    return text.length() <= most ? text : text.substring(0, most) + "…";
  }
}
