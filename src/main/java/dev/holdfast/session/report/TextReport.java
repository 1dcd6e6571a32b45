package dev.holdfast.session.report;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads JSON objects out of what models write. */
public final class TextReport {
  /** A number keeps its digits: 1e400 would become a text. */
  private static final JsonMapper JSON =
      JsonMapper.builder().enable(DeserializationFeature.USE_BIG_DECIMAL_FOR_FLOATS).build();

  private static final Pattern FENCED =
      Pattern.compile("\\A\\s*```(?:json)?[^\\S\\n]*+\\n(.*?)\\n?```\\s*\\z", Pattern.DOTALL);

  private TextReport() {}

  /** The object that the text is; empty where it is anything else. */
  public static Optional<JsonNode> object(String text) {
    try {
      JsonNode node = JSON.readTree(text);
      return node != null && node.isObject() ? Optional.of(node) : Optional.empty();
    } catch (JacksonException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /** The report that a plain text is, whole or as one code block (B49); never a part of a text. */
  public static Optional<FinalReport> in(String text, ReportRules rules) {
    Matcher fenced = FENCED.matcher(text);
    return object(fenced.matches() ? fenced.group(1) : text)
        .flatMap(node -> rules.check(node).report());
  }
}
