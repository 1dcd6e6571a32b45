package dev.holdfast.handler.design;

import dev.holdfast.failure.ShortText;
import dev.holdfast.process.Utf8;
import dev.holdfast.schema.UnreadableJson;
import dev.holdfast.ticket.InvalidInputException;
import java.nio.charset.StandardCharsets;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.core.json.JsonFactory;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;
import tools.jackson.dataformat.yaml.YAMLFactory;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLParser;

/**
 * Reads a design's text, JSON or YAML, into one object. Refuses what could mean two things or grow
 * without bound: more than {@value #MAX_BYTES} bytes, a key given twice, aliases, a second
 * document, more than {@value #MAX_DEPTH} levels.
 */
final class DesignText {
  static final int MAX_BYTES = 1 << 20;
  static final int MAX_DEPTH = 100;

  private static final StreamReadConstraints LIMITS =
      StreamReadConstraints.builder().maxNestingDepth(MAX_DEPTH).build();

  static final ObjectMapper JSON =
      JsonMapper.builder(JsonFactory.builder().streamReadConstraints(LIMITS).build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private static final ObjectMapper YAML =
      YAMLMapper.builder(YAMLFactory.builder().streamReadConstraints(LIMITS).build())
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(
              DeserializationFeature.FAIL_ON_TRAILING_TOKENS,
              DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS)
          .build();

  private DesignText() {}

  /**
   * @throws InvalidInputException saying where the text cannot be read
   */
  static ObjectNode read(String text) {
    refuseOversize(text);
    String plain = Utf8.withoutMark(text);
    if (plain.isBlank()) {
      throw new InvalidInputException(
          "the design is empty: write a YAML or JSON object with the key \"kind\"");
    }
    if (tree(plain) instanceof ObjectNode object) {
      return object;
    }
    throw new InvalidInputException(
        "the design must be an object: write keys and values, as in kind: command");
  }

  private static void refuseOversize(String text) {
    int size =
        text.length() > MAX_BYTES ? text.length() : text.getBytes(StandardCharsets.UTF_8).length;
    if (size > MAX_BYTES) {
      throw new InvalidInputException(
          ("the design has %s bytes and may have %s: keep large inputs in files or in the"
                  + " tickets' payloads")
              .formatted(size, MAX_BYTES));
    }
  }

  private static JsonNode tree(String text) {
    try {
      return JSON.readTree(text);
    } catch (JacksonException asJson) {
      if (looksLikeJson(text)) {
        throw unreadable("JSON", asJson);
      }
      return yaml(text);
    } catch (NumberFormatException e) {
      throw beyondBounds();
    }
  }

  /**
   * Makes the error for an exponent that no BigDecimal has; Jackson then throws a
   * NumberFormatException.
   */
  private static InvalidInputException beyondBounds() {
    return new InvalidInputException(
        "the design has a number whose exponent is beyond all bounds: write it as text");
  }

  private static JsonNode yaml(String text) {
    try {
      refuseSurprises(text);
      return YAML.readTree(text);
    } catch (JacksonException e) {
      throw unreadable("YAML", e);
    } catch (NumberFormatException e) {
      throw beyondBounds();
    }
  }

  /**
   * Refuses aliases and a second document. Aliases can turn a small text into a huge document, and
   * the tree reader takes their names for text; it ignores a second document silently.
   */
  private static void refuseSurprises(String text) {
    boolean over = false;
    try (JsonParser parser = YAML.createParser(text)) {
      while (parser.nextToken() != null) {
        if (over) {
          throw new InvalidInputException(
              "the design has a second YAML document on line %s: write one alone, without ---"
                  .formatted(parser.currentTokenLocation().getLineNr()));
        }
        over = parser.streamReadContext().inRoot();
        if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
          throw new InvalidInputException(
              ("the design uses the YAML alias *%s on line %s: aliases are not supported,"
                      + " write the value out")
                  .formatted(yaml.getString(), yaml.currentTokenLocation().getLineNr()));
        }
      }
    }
  }

  /** True if a quote or a brace follows the opening brace; nobody writes such YAML by hand. */
  private static boolean looksLikeJson(String text) {
    String start = text.strip();
    if (!start.startsWith("{") && !start.startsWith("[")) {
      return false;
    }
    String next = start.substring(1).stripLeading();
    return next.isEmpty() || next.startsWith("\"") || next.startsWith("}") || next.startsWith("{");
  }

  private static InvalidInputException unreadable(String language, JacksonException e) {
    TokenStreamLocation at = e.getLocation();
    String where =
        at == null || at.getLineNr() < 1
            ? ""
            : " on line " + at.getLineNr() + ", column " + at.getColumnNr();
    return new InvalidInputException(
        "the design is not readable as %s%s: %s"
            .formatted(language, where, ShortText.of(UnreadableJson.reason(e), 300)));
  }
}
