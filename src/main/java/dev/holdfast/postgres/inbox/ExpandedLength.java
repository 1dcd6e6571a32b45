package dev.holdfast.postgres.inbox;

import dev.holdfast.ticket.InvalidInputException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * Measures a JSON document as jsonb writes it out: with a space after each comma and colon, and
 * with all digits of a number such as 1e100000. The result is never too small. For one use by one
 * thread.
 */
final class ExpandedLength {
  private static final int BLANKS_PER_TOKEN = 2;
  private static final int MOST_DIGITS = 200_000; // numeric has 131,072 and 16,383

  private long bytes;

  ExpandedLength(long bytesAsSent) {
    this.bytes = bytesAsSent;
  }

  void add(JsonToken token, JsonParser parser) {
    bytes += BLANKS_PER_TOKEN;
    if (token.isNumeric()) {
      bytes += digits(parser.getString());
    }
  }

  /** Returns the digits that the exponent adds. */
  private static long digits(String number) {
    int e = Math.max(number.indexOf('e'), number.indexOf('E'));
    if (e < 0) {
      return 0;
    }
    String exponent = number.substring(e + 1).replaceFirst("^[+-]?0*", "");
    if (exponent.isEmpty()) {
      return 0;
    }
    return exponent.length() > 6 ? MOST_DIGITS : Math.min(MOST_DIGITS, Long.parseLong(exponent));
  }

  /**
   * @throws InvalidInputException if it is longer than that
   */
  int within(int most) {
    if (bytes > most) {
      throw new InvalidInputException(
          "the payload has more than "
              + most
              + " bytes when its numbers are written out (1e100000 has all its digits then); write"
              + " such numbers as strings, or raise payload.max-expanded-bytes");
    }
    return (int) bytes;
  }
}
