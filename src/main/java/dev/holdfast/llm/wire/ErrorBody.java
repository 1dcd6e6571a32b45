package dev.holdfast.llm.wire;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The body of an error answer, read in each of the shapes that vendors and their imitators use.
 *
 * @param message the provider's words; for a page of HTML its title; "" where there are none
 * @param codes its symbolic codes and types, the most telling first
 * @param number a number from 400 to 599 in the place of a code
 */
record ErrorBody(String message, List<String> codes, @Nullable Integer number, boolean html) {
  private static final int MAX_MESSAGE = 4_000;
  private static final int MAX_CODE = 200;
  private static final Pattern TITLE =
      Pattern.compile("<title[^>]{0,200}>([^<]{0,300})", Pattern.CASE_INSENSITIVE);
  private static final List<String> CODE_FIELDS = List.of("code", "type", "status");

  static ErrorBody of(String text) {
    String trimmed = text.strip();
    if (trimmed.startsWith("<")) {
      Matcher title = TITLE.matcher(trimmed);
      String words = title.find() ? title.group(1).strip() : "";
      return new ErrorBody("a page of HTML" + quoted(words), List.of(), null, true);
    }
    JsonNode root = parse(trimmed);
    JsonNode first = root.isArray() ? root.path(0) : root;
    return first.isObject()
        ? ofObject(first, trimmed)
        : new ErrorBody(cut(trimmed), List.of(), null, false);
  }

  private static ErrorBody ofObject(JsonNode root, String text) {
    JsonNode error = root.path("error");
    JsonNode facts = error.isObject() ? error : root;
    List<String> codes = new ArrayList<>();
    add(codes, facts.path("details").path("error_code"));
    CODE_FIELDS.forEach(field -> add(codes, facts.path(field)));
    facts.path("details").values().forEach(detail -> add(codes, detail.path("reason")));
    return new ErrorBody(message(root, facts, text), List.copyOf(codes), number(facts), false);
  }

  private static String message(JsonNode root, JsonNode facts, String text) {
    for (JsonNode place :
        List.of(facts.path("message"), root.path("error"), root.path("detail"), facts)) {
      if (place.isString() && !place.stringValue().isBlank()) {
        // OpenRouter hides the words of the provider behind it
        JsonNode raw = facts.path("metadata").path("raw");
        String behind = raw.isString() ? ": " + raw.stringValue() : "";
        return cut(place.stringValue() + behind);
      }
    }
    return cut(text);
  }

  private static void add(List<String> codes, JsonNode code) {
    if (code.isString() && !code.stringValue().isBlank() && !code.stringValue().equals("error")) {
      String text = code.stringValue();
      codes.add(text.length() > MAX_CODE ? text.substring(0, MAX_CODE) : text);
    }
  }

  private static @Nullable Integer number(JsonNode facts) {
    for (String field : List.of("code", "status")) {
      int number = facts.path(field).asInt(0);
      if (number >= 400 && number <= 599) {
        return number;
      }
    }
    return null;
  }

  /** True if the document says of itself that it is an error. */
  static boolean isError(String text) {
    JsonNode root = parse(text.strip());
    JsonNode first = root.isArray() ? root.path(0) : root;
    return isFilled(first.path("error"))
        || first.path("type").asString("").equals("error")
        || first.path("object").asString("").equals("error");
  }

  /**
   * True if the place of an error is not empty; some servers leave it empty where there is no
   * error.
   */
  private static boolean isFilled(JsonNode error) {
    boolean empty =
        error.isMissingNode()
            || error.isNull()
            || (error.isBoolean() && !error.booleanValue())
            || (error.isString() && error.stringValue().isEmpty());
    return !empty;
  }

  static JsonNode parse(String text) {
    try {
      return JsonMapper.shared().readTree(text);
    } catch (JacksonException _) {
      return JsonMapper.shared().missingNode();
    }
  }

  /**
   * Makes one token of a code: {@code rateLimitError} and {@code rate_limit_error} are the same.
   */
  static String fold(String code) {
    return code.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "");
  }

  static String cut(String text) {
    return text.length() > MAX_MESSAGE ? text.substring(0, MAX_MESSAGE) + "..." : text;
  }

  private static String quoted(String words) {
    return words.isEmpty() ? "" : " titled \"" + words + "\"";
  }
}
