package dev.holdfast.secret;

import static dev.holdfast.fuzz.FuzzTarget.require;

import dev.holdfast.fuzz.FuzzTarget;
import java.util.Map;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Text and JSON that may hold secrets, in whatever form. */
public final class SecretFuzz {
  private static final Map<String, String> VALUES =
      Map.of(
          "sk-test-0123456789", "llm.api-key",
          "p\"ä\\ss/wörd&+", "database.password",
          "4815162342", "pin");
  private static final Secrets SECRETS = Secrets.of(VALUES);
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  public static final FuzzTarget TEXT = FuzzTarget.ofText("secret-text", SecretFuzz::text);
  public static final FuzzTarget JSON = FuzzTarget.ofText("secret-json", SecretFuzz::json);

  private SecretFuzz() {}

  private static void text(String text) {
    String safe = SECRETS.redact(text);
    require(holdsNone(safe), "no secret is left: " + safe);
    require(SECRETS.redact(safe).equals(safe), "redacting twice changes nothing more");
    inPieces(text, Math.max(1, text.length() / 3), safe);
    inPieces(text, 7, safe);
  }

  /** What is told of a stream before its end is known is a beginning of what is told of all. */
  private static void inPieces(String text, int size, String whole) {
    StringBuilder told = new StringBuilder();
    String waiting = "";
    for (int at = 0; at < text.length(); at += size) {
      waiting += text.substring(at, Math.min(text.length(), at + size));
      int settled = SECRETS.settled(waiting);
      require(settled >= 0 && settled <= waiting.length(), "a place within the text");
      told.append(SECRETS.redact(waiting.substring(0, settled)));
      waiting = waiting.substring(settled);
      require(waiting.length() <= size + 2 * SECRETS.longest(), "little waits");
    }
    told.append(SECRETS.redact(waiting));
    require(told.toString().equals(whole), "pieces tell what the whole tells: " + told);
  }

  private static void json(String text) {
    String safe = SECRETS.redactJson(text);
    require(SECRETS.redactJson(safe).equals(safe), "redacting twice changes nothing more");
    JsonNode before = read(text);
    if (before.isMissingNode()) {
      return;
    }
    JsonNode after = read(safe);
    require(!after.isMissingNode(), "JSON stays JSON: " + safe);
    require(holdsNone(after), "no secret is left: " + safe);
    require(holdsNone(safe), "none is left in a value that stands twice: " + safe);
    if (hasNoForm(before)) {
      require(after.equals(before), "where none is, nothing changes");
    }
  }

  private static boolean hasNoForm(JsonNode node) {
    return !SecretJson.change(node.toString(), SECRETS::redact).changed();
  }

  private static JsonNode read(String text) {
    try {
      return MAPPER.readTree(text);
    } catch (JacksonException | NumberFormatException e) {
      return MAPPER.missingNode();
    }
  }

  private static boolean holdsNone(JsonNode node) {
    if (node.isObject()) {
      return node.properties().stream()
          .allMatch(each -> holdsNone(each.getKey()) && holdsNone(each.getValue()));
    }
    if (node.isArray()) {
      return node.values().stream().allMatch(SecretFuzz::holdsNone);
    }
    return holdsNone(node.isString() ? node.stringValue() : node.toString());
  }

  private static boolean holdsNone(String text) {
    return VALUES.keySet().stream().noneMatch(text::contains);
  }
}
