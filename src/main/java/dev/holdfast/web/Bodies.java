package dev.holdfast.web;

import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.holdfast.queue.AttemptRow;
import dev.holdfast.queue.TicketRow;
import dev.holdfast.queue.TimelineEntry;
import dev.holdfast.session.JournalRow;
import dev.holdfast.ticket.Design;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DatabindException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Bodies as JSON: rows with the names of their SQL columns, JSON columns embedded, times as ISO
 * 8601 in UTC.
 */
final class Bodies {
  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .addMixIn(TicketRow.class, JsonColumns.class)
          .addMixIn(AttemptRow.class, JsonColumns.class)
          .addMixIn(TimelineEntry.class, JsonColumns.class)
          .addMixIn(JournalRow.class, JsonColumns.class)
          .addMixIn(Design.class, JsonColumns.class)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .build();

  /** The columns that are JSON already. */
  private interface JsonColumns {
    @JsonRawValue
    String payload();

    @JsonRawValue
    String retryStrategy();

    @JsonRawValue
    String result();

    @JsonRawValue
    String details();

    @JsonRawValue
    String entry();

    @JsonRawValue
    String definition();
  }

  private Bodies() {}

  static String json(@Nullable Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /**
   * @throws Refused 400 for what is no JSON, 422 for what is none of this type
   */
  static <T> T read(byte[] json, Class<T> type) {
    try {
      T value = MAPPER.readValue(json, type);
      if (value == null) {
        throw new Refused(422, "the body must be a JSON object, not null");
      }
      return value;
    } catch (DatabindException e) {
      throw new Refused(422, "the body does not fit: " + firstLine(e));
    } catch (JacksonException e) {
      throw Refused.badRequest("the body is not JSON: " + firstLine(e));
    }
  }

  static JsonNode tree(String json) {
    return MAPPER.readTree(json);
  }

  private static String firstLine(JacksonException e) {
    String line = String.valueOf(e.getOriginalMessage()).lines().findFirst().orElse("");
    // Names of our classes are nobody's business.
    return line.replaceAll("\\(?\\b(?:class |record )?[`\"]?dev\\.holdfast\\.[\\w.$]+[`\"]?\\)?", "this request")
        .replaceAll("`?(?:java|tools)\\.[\\w.$]+`?", "the wanted type");
  }
}
