package dev.holdfast.postgres.inbox;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import dev.holdfast.postgres.EscapedJson;
import dev.holdfast.postgres.LongNumbers;
import dev.holdfast.ticket.InvalidInputException;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Payloads of tickets, and JSON on its way into the database. */
public final class PayloadFuzz {
  private static final int MOST = 1 << 20;
  private static final int LONGEST_REFUSAL = 1_000;
  private static final NewTicketRules RULES = new NewTicketRules(new PayloadLimits(MOST, MOST));
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  public static final FuzzTarget PAYLOAD = FuzzTarget.ofText("payload", PayloadFuzz::payload);
  public static final FuzzTarget STORABLE = FuzzTarget.ofText("storable", PayloadFuzz::storable);

  private PayloadFuzz() {}

  private static void payload(String text) {
    int length;
    try {
      length = RULES.checkPayload(text);
    } catch (InvalidInputException e) {
      require(String.valueOf(e.getMessage()).length() <= LONGEST_REFUSAL, "a refusal is short");
      return;
    }
    require(length <= MOST, "no payload is accepted beyond the limit");
    JsonNode read;
    try {
      read = MAPPER.readTree(text);
    } catch (NumberFormatException e) {
      return; // an exponent beyond 32 bits, which jsonb refuses
    }
    require(written(read) <= length, "jsonb writes it out no longer than was said: " + length);
  }

  /** As jsonb writes it: every digit of a number, and a space behind commas and colons. */
  private static long written(JsonNode node) {
    if (node.isObject() || node.isArray()) {
      long[] length = {2};
      node.forEachEntry((key, value) -> length[0] += quoted(key) + 2);
      node.forEach(each -> length[0] += written(each) + 2);
      return length[0] - (node.isEmpty() ? 0 : 2);
    }
    if (node.isString()) {
      return quoted(node.stringValue());
    }
    return node.isNumber() ? plain(node.decimalValue()) : node.toString().length();
  }

  /** Digits before the point, which jsonb refuses beyond 131,072, and behind it, which it cuts. */
  private static long plain(BigDecimal number) {
    long before = (long) number.precision() - number.scale();
    boolean refused = before > 131_072 || number.scale() > 16_383;
    return refused ? 0 : number.toPlainString().length();
  }

  private static long quoted(String text) {
    return MAPPER.writeValueAsString(text).getBytes(StandardCharsets.UTF_8).length;
  }

  private static void storable(String text) {
    String stored = EscapedJson.escape(text);
    require(stored.indexOf('\0') < 0, "no NUL is stored");
    require(StandardCharsets.UTF_8.newEncoder().canEncode(stored), "no half of a pair is stored");
    require(stored.length() <= 5 * text.length(), "escaping adds four characters at most");
    String bounded = LongNumbers.asStrings(text);
    require(
        EscapedJson.replace(text).length() <= bounded.length(), "replacing adds quotes at most");
    require(2 * bounded.length() <= 3 * text.length(), "a long number has five characters or more");
    if (isJson(text)) {
      JsonNode read = MAPPER.readTree(bounded);
      require(
          MAPPER.readTree(EscapedJson.unescape(stored)).equals(read),
          "what was escaped comes back");
      require(written(read) <= 100L * bounded.length(), "no number has thousands of digits");
      require(LongNumbers.asStrings(bounded).equals(bounded), "once is enough");
    }
  }

  private static boolean isJson(String text) {
    try {
      return !MAPPER.readTree(text).isMissingNode();
    } catch (JacksonException | NumberFormatException e) {
      return false;
    }
  }
}
