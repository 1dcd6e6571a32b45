package dev.holdfast.cli.output;

import java.lang.Character.UnicodeBlock;
import java.util.Set;

/**
 * Counts the columns of a terminal that a text takes. Letters of Chinese, Japanese and Korean and
 * emojis take two, combining marks none.
 */
final class TextWidth {
  private static final int ZERO_WIDTH_JOINER = 0x200D;
  private static final Set<UnicodeBlock> WIDE =
      Set.of(
          UnicodeBlock.HANGUL_JAMO,
          UnicodeBlock.HANGUL_SYLLABLES,
          UnicodeBlock.HIRAGANA,
          UnicodeBlock.KATAKANA,
          UnicodeBlock.KATAKANA_PHONETIC_EXTENSIONS,
          UnicodeBlock.BOPOMOFO,
          UnicodeBlock.CJK_SYMBOLS_AND_PUNCTUATION,
          UnicodeBlock.CJK_COMPATIBILITY,
          UnicodeBlock.CJK_COMPATIBILITY_FORMS,
          UnicodeBlock.ENCLOSED_CJK_LETTERS_AND_MONTHS);

  private TextWidth() {}

  static int of(String text) {
    int width = 0;
    for (int at = 0; at < text.length(); at += Character.charCount(text.codePointAt(at))) {
      width += of(text, at);
    }
    return width;
  }

  /** Returns at most so many columns, with an ellipsis where something was cut off. */
  static String cut(String text, int columns) {
    if (of(text) <= columns) {
      return text;
    }
    int width = 0;
    int at = 0;
    while (at < text.length() && width + of(text, at) < columns) {
      width += of(text, at);
      at += Character.charCount(text.codePointAt(at));
    }
    return text.substring(0, at) + "…";
  }

  /**
   * Returns the width of the character at the place. What is joined to an emoji is drawn within it.
   */
  private static int of(String text, int at) {
    int c = text.codePointAt(at);
    boolean joined = at > 0 && text.codePointBefore(at) == ZERO_WIDTH_JOINER;
    return switch (Character.getType(c)) {
      case Character.NON_SPACING_MARK, Character.ENCLOSING_MARK, Character.FORMAT -> 0;
      default -> joined ? 0 : isWide(c) ? 2 : 1;
    };
  }

  private static boolean isWide(int c) {
    return Character.isIdeographic(c)
        || Character.isEmojiPresentation(c)
        || isFullWidth(c)
        || WIDE.contains(UnicodeBlock.of(c));
  }

  private static boolean isFullWidth(int c) {
    return (c >= 0xFF01 && c <= 0xFF60) || (c >= 0xFFE0 && c <= 0xFFE6);
  }
}
