package dev.holdfast.config;

import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.TokenStreamLocation;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.dataformat.yaml.YAMLMapper;
import tools.jackson.dataformat.yaml.YAMLParser;

/** YAML and JSON documents as maps, lists and scalars. A key given twice is an error. */
final class YamlText {
  private static final Pattern POSITION = Pattern.compile("line \\d+, column \\d+");

  private static final YAMLMapper MAPPER =
      YAMLMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private YamlText() {}

  /**
   * Reads a document.
   *
   * @return null for an empty document
   * @throws IllegalArgumentException naming line and column
   */
  static @Nullable Object parse(String text) {
    if (text.lines().allMatch(line -> line.isBlank() || line.strip().startsWith("#"))) {
      return null;
    }
    try {
      refuseSurprises(text);
      return MAPPER.readValue(text, Object.class);
    } catch (JacksonException e) {
      throw new IllegalArgumentException("is not valid YAML" + where(e) + ": " + reason(e), e);
    }
  }

  /**
   * Refuses aliases and second documents. The mapper reads an alias as the text of its name, and
   * does not report a second document.
   */
  private static void refuseSurprises(String text) {
    boolean over = false;
    try (JsonParser parser = MAPPER.createParser(text)) {
      while (parser.nextToken() != null) {
        if (over) {
          throw new IllegalArgumentException(
              "has a second YAML document at line "
                  + parser.currentTokenLocation().getLineNr()
                  + "; write one alone, without ---");
        }
        over = parser.streamReadContext().inRoot();
        if (parser instanceof YAMLParser yaml && yaml.isCurrentAlias()) {
          throw new IllegalArgumentException(
              "has a YAML alias at line "
                  + parser.currentTokenLocation().getLineNr()
                  + "; write the value itself there");
        }
      }
    }
  }

  /** Returns the place of the problem. For YAML, only the last position in the message has it. */
  private static String where(JacksonException e) {
    Matcher position = POSITION.matcher(String.valueOf(e.getOriginalMessage()));
    String found =
        position.results().reduce((first, last) -> last).map(MatchResult::group).orElse("");
    TokenStreamLocation at = e.getLocation();
    if (found.isEmpty() && at != null && at.getLineNr() > 0) {
      found = "line " + at.getLineNr() + ", column " + at.getColumnNr();
    }
    return found.isEmpty() ? "" : " at " + found;
  }

  /**
   * Returns the parser's own words. The indented lines between them are left out: they quote the
   * document, which may hold secrets.
   */
  private static String reason(JacksonException e) {
    String words =
        String.valueOf(e.getOriginalMessage())
            .lines()
            .filter(line -> !line.isBlank() && !line.startsWith(" "))
            .collect(Collectors.joining(", "));
    return words.isEmpty() ? "unreadable" : words;
  }
}
