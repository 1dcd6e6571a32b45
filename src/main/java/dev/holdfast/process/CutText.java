package dev.holdfast.process;

/**
 * Cleans up a text of which a part was cut off. The cut may have gone through a secret, and nobody
 * would recognise the rest of it. So the line at the cut is left out; of a very long line, 1 KiB or
 * a quarter of the whole text.
 */
public final class CutText {
  private static final int NEAR = 1024;

  private CutText() {}

  /** Returns the rest of a text whose beginning was cut off. */
  public static String behind(String text) {
    int most = most(text);
    int line = text.indexOf('\n');
    return text.substring(line >= 0 && line < most ? line + 1 : most);
  }

  /** Returns the rest of a text whose end was cut off. */
  public static String before(String text) {
    int least = text.length() - most(text);
    int line = text.lastIndexOf('\n');
    return text.substring(0, Math.max(line, least));
  }

  private static int most(String text) {
    return Math.min(NEAR, text.length() / 4);
  }
}
