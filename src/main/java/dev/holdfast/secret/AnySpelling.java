package dev.holdfast.secret;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/**
 * Finds a value whose characters may each be written in a different way: as they are, with percent
 * signs as in a URL, or with backslashes as in JSON and in JSON inside of JSON. Programs differ in
 * which characters they write so, and in upper and lower case.
 */
final class AnySpelling {
  private static final int NONE = -1;

  /** The end of text that may be the value, if more text follows. */
  private static final int BEYOND = Integer.MAX_VALUE;

  /** The most backslashes before one character: a quote in JSON inside of JSON has that many. */
  private static final int MOST_BACKSLASHES = 3;

  private final List<Letter> letters;
  private final char first;
  private final String firstInUrl;
  private final boolean isNamed;
  private final int longest;

  private AnySpelling(String value, List<Letter> letters) {
    this.first = value.charAt(0);
    this.firstInUrl = inUrl(value.codePointAt(0));
    this.isNamed = Sign.NAMED.indexOf(first) >= 0;
    this.letters = List.copyOf(letters);
    this.longest = letters.stream().mapToInt(Letter::longest).sum();
  }

  /** Makes one; empty for a value that is little more than backslashes, which are in any text. */
  static Optional<AnySpelling> of(String value) {
    if (value.replace("\\", "").length() < Secrets.SHORTEST) {
      return Optional.empty();
    }
    List<Letter> letters = new ArrayList<>();
    for (int at = 0; at < value.length(); at += Character.charCount(value.codePointAt(at))) {
      int point = value.codePointAt(at);
      if (point != '\\') {
        letters.add(Sign.of(point));
      } else if (at == 0 || value.charAt(at - 1) != '\\') {
        letters.add(Backslashes.from(value, at));
      }
    }
    return Optional.of(new AnySpelling(value, letters));
  }

  /** Returns true for text in which this may find what a search for the value itself does not. */
  static boolean mayBeIn(String text) {
    return text.indexOf('\\') >= 0 || text.indexOf('%') >= 0 || text.indexOf('+') >= 0;
  }

  /** Returns the number of characters of the longest spelling. */
  int longest() {
    return longest;
  }

  boolean isIn(String text) {
    return next(text, 0) < text.length();
  }

  String replace(String text, String replacement) {
    int found = next(text, 0);
    if (found == text.length()) {
      return text;
    }
    StringBuilder safe = new StringBuilder(text.length());
    int from = 0;
    while (found < text.length()) {
      safe.append(text, from, found).append(replacement);
      from = end(text, found, false);
      found = next(text, from);
    }
    return safe.append(text, from, text.length()).toString();
  }

  /** Returns where the next occurrence begins; the text's end if there is none. */
  private int next(String text, int from) {
    int at = from;
    while (at < text.length() && (!mayBegin(text, at) || end(text, at, false) == NONE)) {
      at++;
    }
    return at;
  }

  /** Takes a quick first look, for long texts. */
  private boolean mayBegin(String text, int at) {
    char unit = text.charAt(at);
    if (unit == first || at + 1 == text.length()) {
      return true;
    }
    char next = text.charAt(at + 1);
    return switch (unit) {
      case '\\' -> isNamed || next == '\\' || next == 'u' || next == first;
      case '%' -> Character.toLowerCase(next) == firstInUrl.charAt(1);
      case '+' -> first == ' ';
      default -> false;
    };
  }

  /**
   * Returns the beginning of an occurrence that lies, or may come to lie, across a place; otherwise
   * the place itself.
   */
  int startOfOneAcross(String text, int place) {
    int at = Math.max(0, place - longest);
    while (at < place && end(text, at, true) <= place) {
      at++;
    }
    return at;
  }

  /**
   * Returns the end of an occurrence.
   *
   * @param more whether text may follow; then an occurrence that ends with the text may be longer
   */
  private int end(String text, int from, boolean more) {
    int at = from;
    for (Letter letter : letters) {
      at = letter.end(text, at, at > from, more);
      if (at == NONE || at == BEYOND) {
        return at;
      }
    }
    return at;
  }

  /**
   * Returns the end of a spelling in the text, NONE, or BEYOND where the text ends in the middle of
   * it.
   */
  private static int end(String text, int at, String spelling, boolean more) {
    int length = Math.min(spelling.length(), text.length() - at);
    if (!text.regionMatches(true, at, spelling, 0, length)) {
      return NONE;
    }
    if (length == spelling.length()) {
      return at + length;
    }
    return more ? BEYOND : NONE;
  }

  private static String inUrl(int point) {
    byte[] bytes = Character.toString(point).getBytes(StandardCharsets.UTF_8);
    return "%" + HexFormat.ofDelimiter("%").formatHex(bytes);
  }

  private static String inJson(char unit) {
    return "u" + HexFormat.of().toHexDigits(unit);
  }

  /** One character of the value, or several backslashes. */
  private sealed interface Letter {
    /**
     * Returns the end of this letter in the text.
     *
     * @param inside whether what comes before belongs to the value, too
     */
    int end(String text, int at, boolean inside, boolean more);

    int longest();
  }

  /**
   * @param plain the character itself
   * @param units what follows a backslash for each of its UTF-16 units
   * @param named what else follows a backslash for it; empty for nothing
   * @param other what else stands for it in a URL; empty for nothing
   */
  private record Sign(
      String plain, boolean isWord, String inUrl, List<String> units, String named, String other)
      implements Letter {
    static final String NAMED = "\b\f\n\r\t";
    private static final String NAMES = "bfnrt";

    static Sign of(int point) {
      String plain = Character.toString(point);
      int named = NAMED.indexOf(point);
      return new Sign(
          plain,
          Character.isLetterOrDigit(point),
          AnySpelling.inUrl(point),
          plain.chars().mapToObj(unit -> inJson((char) unit)).toList(),
          named < 0 ? "" : NAMES.substring(named, named + 1),
          point == ' ' ? "+" : "");
    }

    @Override
    public int end(String text, int at, boolean inside, boolean more) {
      int behind = behindBackslashes(text, at);
      boolean escaped = behind > at || (inside && text.charAt(at - 1) == '\\');
      int end = escaped ? escaped(text, behind, more) : NONE;
      if (end == NONE && behind == at) {
        end = AnySpelling.end(text, at, inUrl, more);
      }
      if (end == NONE && behind == at && !other.isEmpty()) {
        end = AnySpelling.end(text, at, other, more);
      }
      if (end == NONE && !(isWord && behind > at)) {
        end = plain(text, behind, more);
      }
      return end;
    }

    private int escaped(String text, int behind, boolean more) {
      if (!named.isEmpty() && text.startsWith(named, behind)) {
        return behind + named.length();
      }
      int end = AnySpelling.end(text, behind, units.getFirst(), more);
      if (units.size() == 1 || end == NONE || end == BEYOND) {
        return end;
      }
      int second = behindBackslashes(text, end);
      boolean isPlain = second == end && second < text.length();
      return isPlain ? NONE : AnySpelling.end(text, second, units.getLast(), more);
    }

    /**
     * Compares with upper and lower case, unlike the other method: here case tells characters
     * apart.
     */
    private int plain(String text, int at, boolean more) {
      if (text.startsWith(plain, at)) {
        return at + plain.length();
      }
      boolean isCut = text.length() - at < plain.length() && plain.startsWith(text.substring(at));
      return more && isCut ? BEYOND : NONE;
    }

    private static int behindBackslashes(String text, int from) {
      int at = from;
      while (at < text.length() && text.charAt(at) == '\\' && at - from < MOST_BACKSLASHES) {
        at++;
      }
      return at;
    }

    @Override
    public int longest() {
      int escaped = units.size() * (MOST_BACKSLASHES + units.getFirst().length());
      return Math.max(inUrl.length(), escaped);
    }
  }

  /**
   * Backslashes of the value. It takes as many as the text has: nobody can tell which of them
   * belong to the next character.
   *
   * @param count how many the value has
   */
  private record Backslashes(int count) implements Letter {
    private static final String IN_URL = inUrl('\\');
    private static final String IN_JSON = inJson('\\');

    static Backslashes from(String value, int at) {
      int end = at;
      while (end < value.length() && value.charAt(end) == '\\') {
        end++;
      }
      return new Backslashes(end - at);
    }

    @Override
    public int end(String text, int at, boolean inside, boolean more) {
      int end = at;
      int next = one(text, at, at, more);
      while (next != NONE && next != BEYOND && next - at <= longest()) {
        end = next;
        next = one(text, next, at, more);
      }
      if (next == BEYOND) {
        return BEYOND;
      }
      return end == at ? NONE : end;
    }

    private static int one(String text, int at, int from, boolean more) {
      int end = AnySpelling.end(text, at, "\\", more);
      if (end == NONE) {
        end = AnySpelling.end(text, at, IN_URL, more);
      }
      if (end == NONE && at > from && text.charAt(at - 1) == '\\') {
        end = AnySpelling.end(text, at, IN_JSON, more);
      }
      return end;
    }

    @Override
    public int longest() {
      return count * (MOST_BACKSLASHES + 1 + IN_JSON.length()) + MOST_BACKSLASHES;
    }
  }
}
