package dev.holdfast.failure;

import java.util.BitSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * An expression with cheap tests of the places where a match may start. It finds what the
 * expression alone finds, but tries it only at those places: most characters of an error text start
 * no match.
 *
 * @param pattern an expression that never matches the empty text
 * @param starts the characters of ASCII that a match may start with; it may start with any other
 *     character
 * @param places a test that is true at least at each place where a match starts
 */
record PlacedPattern(Pattern pattern, BitSet starts, Places places) {
  private static final int ASCII = 128;

  /** A test of one place in a text. */
  @FunctionalInterface
  interface Places {
    boolean mayStart(String text, int at);
  }

  static PlacedPattern of(String regex, Places places) {
    BitSet any = new BitSet();
    any.set(0, ASCII);
    return new PlacedPattern(Pattern.compile(regex), any, places);
  }

  /**
   * @param starts the characters that a match may start with, all of ASCII
   */
  static PlacedPattern of(String regex, String starts, Places places) {
    BitSet some = new BitSet();
    starts.chars().forEach(some::set);
    return new PlacedPattern(Pattern.compile(regex), some, places);
  }

  /** Makes a search through the whole text. */
  Search in(String text) {
    return in(text, 0, text.length());
  }

  /** Makes a search through a part of the text; it sees the text around the part. */
  Search in(String text, int from, int to) {
    return new Search(text, from, to);
  }

  /** Finds one match after the other, as {@link Matcher#find} does. Confined to one thread. */
  final class Search {
    private final String text;
    private final int to;
    private @Nullable Matcher matcher;
    private int next;

    private Search(String text, int from, int to) {
      this.text = text;
      this.to = to;
      next = from;
    }

    private Matcher matcher() {
      Matcher made = matcher;
      if (made == null) {
        made = pattern.matcher(text).useTransparentBounds(true).useAnchoringBounds(false);
        matcher = made;
      }
      return made;
    }

    /** Returns whether there is one more match. */
    boolean find() {
      for (int at = next; at < to; at++) {
        if (mayStart(at) && matcher().region(at, to).lookingAt()) {
          next = matcher().end();
          return true;
        }
      }
      next = to;
      return false;
    }

    private boolean mayStart(int at) {
      char c = text.charAt(at);
      return (c >= ASCII || starts.get(c)) && places.mayStart(text, at);
    }

    /** Returns the latest match. */
    Matcher match() {
      return matcher();
    }
  }

  /** Returns the text with each match replaced by the given plain text. */
  String replaceIn(String text, String replacement) {
    Search search = in(text);
    if (!search.find()) {
      return text;
    }
    StringBuilder out = new StringBuilder(text.length());
    int done = 0;
    do {
      out.append(text, done, search.match().start()).append(replacement);
      done = search.match().end();
    } while (search.find());
    return out.append(text, done, text.length()).toString();
  }

  /**
   * Returns a test for the places where one of the given pairs of characters stands, in any letter
   * case.
   *
   * @param pairs of lower-case ASCII
   */
  static Places pairs(String... pairs) {
    boolean[] known = new boolean[ASCII * ASCII];
    for (String pair : pairs) {
      known[pair.charAt(0) * ASCII + pair.charAt(1)] = true;
    }
    return (text, at) ->
        at + 1 < text.length()
            && known[lower(text.charAt(at)) * ASCII + lower(text.charAt(at + 1))];
  }

  private static int lower(char c) {
    return c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c < ASCII ? c : 0;
  }

  /** Returns true if there is a digit at the place. */
  static boolean isDigit(String text, int at) {
    return at < text.length() && text.charAt(at) >= '0' && text.charAt(at) <= '9';
  }

  /**
   * Returns true if no word goes on at the place: no letter of ASCII, digit or underscore before
   * it.
   */
  static boolean isFree(String text, int at) {
    return at == 0 || !isWord(text.charAt(at - 1));
  }

  /** Returns true if a line starts at the place. */
  static boolean isLineStart(String text, int at) {
    return at == 0 || "\n\r\u0085\u2028\u2029".indexOf(text.charAt(at - 1)) >= 0;
  }

  static boolean isWord(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  }
}
