package dev.holdfast.web.console.view;

import dev.holdfast.schema.ExactJson;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.JsonNodeFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * A ticket's result as a reviewer reads it: diffs by file, texts as texts, the rest as JSON.
 *
 * @param texts long texts with the names of their keys
 * @param json what remains, indented; null where nothing does
 */
public record ResultView(List<Diff.File> files, List<Text> texts, @Nullable String json) {
  private static final int LONG_TEXT = 60;

  /**
   * The most characters that are shown. Ten results of 16 MiB on one page would end a small worker.
   */
  private static final int MOST_SHOWN = 200_000;

  private static final JsonMapper MAPPER =
      ExactJson.ofAnyLength().disable(JsonNodeFeature.STRIP_TRAILING_BIGDECIMAL_ZEROES).build();

  public ResultView {
    files = List.copyOf(files);
    texts = List.copyOf(texts);
  }

  /** A text of the result. */
  public record Text(String name, String text) {}

  public boolean isEmpty() {
    return files.isEmpty() && texts.isEmpty() && json == null;
  }

  public static ResultView of(@Nullable String result) {
    if (result == null) {
      return new ResultView(List.of(), List.of(), null);
    }
    if (result.length() > MOST_SHOWN) {
      return new ResultView(List.of(), List.of(new Text("", beginning(result))), null);
    }
    JsonNode node;
    try {
      node = MAPPER.readTree(result);
    } catch (JacksonException | NumberFormatException e) {
      return new ResultView(List.of(), List.of(new Text("", result)), null);
    }
    if (node.isString()) {
      return text(node.asString());
    }
    return node.isObject() ? object(node) : new ResultView(List.of(), List.of(), indented(node));
  }

  private static ResultView text(String text) {
    return Diff.looksLike(text)
        ? new ResultView(Diff.of(text).files(), List.of(), null)
        : new ResultView(List.of(), List.of(new Text("", text)), null);
  }

  private static ResultView object(JsonNode object) {
    List<Diff.File> files = new ArrayList<>();
    List<Text> texts = new ArrayList<>();
    var rest = MAPPER.createObjectNode();
    for (Map.Entry<String, JsonNode> field : object.properties()) {
      String text = field.getValue().isString() ? field.getValue().asString() : null;
      if (text != null && Diff.looksLike(text)) {
        files.addAll(Diff.of(text).files());
      } else if (text != null && (text.length() > LONG_TEXT || text.contains("\n"))) {
        texts.add(new Text(field.getKey(), text));
      } else {
        rest.set(field.getKey(), field.getValue());
      }
    }
    return new ResultView(files, texts, rest.isEmpty() ? null : indented(rest));
  }

  /** Returns JSON text for reading, indented. If it is very long, it returns only the beginning. */
  public static String shown(String json) {
    return isShownWhole(json) ? indented(json) : beginning(json);
  }

  /** Returns false where {@link #shown} leaves a part out. */
  public static boolean isShownWhole(String json) {
    return json.length() <= MOST_SHOWN;
  }

  private static String beginning(String text) {
    int end = Character.isHighSurrogate(text.charAt(MOST_SHOWN - 1)) ? MOST_SHOWN - 1 : MOST_SHOWN;
    return "%s…\n\n%s more characters: holdfast show, or GET /api/v1/tickets/ID, has all."
        .formatted(text.substring(0, end), text.length() - end);
  }

  /**
   * Reads JSON text with all the digits of its numbers.
   *
   * @throws JacksonException if it is not JSON
   * @throws NumberFormatException if a number's exponent is beyond all bounds
   */
  public static JsonNode exact(String json) {
    return MAPPER.readTree(json);
  }

  /** Returns JSON text, indented; the text itself where it is not JSON. */
  public static String indented(String json) {
    try {
      return indented(MAPPER.readTree(json));
    } catch (JacksonException | NumberFormatException e) {
      return json;
    }
  }

  /**
   * Returns the JSON indented. It is on one line if it is nested so deep that most of it would be
   * the blanks before its lines.
   */
  private static String indented(JsonNode node) {
    return PlainHtml.ofJson(
        blanks(node, 1) > MOST_SHOWN
            ? MAPPER.writeValueAsString(node)
            : MAPPER.writerWithDefaultPrettyPrinter().writeValueAsString(node));
  }

  private static long blanks(JsonNode node, int depth) {
    long sum = 0;
    for (JsonNode child : node) {
      sum += 2L * depth + blanks(child, depth + 1);
    }
    return sum;
  }
}
