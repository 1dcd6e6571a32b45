package dev.holdfast.session.report;

import dev.holdfast.schema.ExactJson;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/** Reads JSON objects out of what models write. */
public final class TextReport {
  private static final Pattern FENCED =
      Pattern.compile("\\A\\s*```(?:json)?[^\\S\\n]*+\\n(.*?)\\n?```\\s*\\z", Pattern.DOTALL);

  private TextReport() {}

  /** Returns the object that the text is; empty where it is anything else. */
  public static Optional<JsonNode> object(String text) {
    try {
      JsonNode node = ExactJson.MAPPER.readTree(text);
      return node != null && node.isObject() ? Optional.of(node) : Optional.empty();
    } catch (JacksonException | NumberFormatException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns the report that a plain text is, whole or as one code block (B49); never a part of it.
   */
  public static Optional<FinalReport> in(String text, ReportRules rules) {
    Matcher fenced = FENCED.matcher(text);
    return object(fenced.matches() ? fenced.group(1) : text)
        .flatMap(node -> rules.check(node).report());
  }
}
