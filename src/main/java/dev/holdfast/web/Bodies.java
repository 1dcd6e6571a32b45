package dev.holdfast.web;

import com.fasterxml.jackson.annotation.JsonIgnoreProperties;
import com.fasterxml.jackson.annotation.JsonRawValue;
import dev.holdfast.batch.Release;
import dev.holdfast.queue.read.AttemptRow;
import dev.holdfast.queue.read.TicketRow;
import dev.holdfast.queue.read.TimelineEntry;
import dev.holdfast.queue.read.ToolCallRow;
import dev.holdfast.schedule.Schedule;
import dev.holdfast.schema.ExactJson;
import dev.holdfast.session.journal.JournalRow;
import dev.holdfast.ticket.Answer;
import dev.holdfast.ticket.Design;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.MapperFeature;
import tools.jackson.databind.PropertyNamingStrategies;
import tools.jackson.databind.cfg.CoercionAction;
import tools.jackson.databind.cfg.CoercionInputShape;
import tools.jackson.databind.cfg.EnumFeature;
import tools.jackson.databind.exc.InvalidFormatException;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.exc.UnrecognizedPropertyException;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.type.LogicalType;

/**
 * Bodies as JSON: rows with the names of their SQL columns, JSON columns embedded, times as ISO
 * 8601 in UTC.
 */
public final class Bodies {
  private static final JsonMapper MAPPER =
      ExactJson.ofAnyLength()
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .addMixIn(TicketRow.class, JsonColumns.class)
          .addMixIn(AttemptRow.class, JsonColumns.class)
          .addMixIn(TimelineEntry.class, JsonColumns.class)
          .addMixIn(JournalRow.class, JsonColumns.class)
          .addMixIn(Design.class, JsonColumns.class)
          .addMixIn(Answer.class, JsonColumns.class)
          .addMixIn(ToolCallRow.class, JsonColumns.class)
          .addMixIn(Schedule.class, JsonColumns.class)
          .addMixIn(Release.class, ReleaseColumns.class)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .disable(DeserializationFeature.ACCEPT_FLOAT_AS_INT)
          .disable(MapperFeature.ALLOW_COERCION_OF_SCALARS)
          .withCoercionConfig(
              LogicalType.Textual,
              text ->
                  text.setCoercion(CoercionInputShape.Integer, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Float, CoercionAction.Fail)
                      .setCoercion(CoercionInputShape.Boolean, CoercionAction.Fail))
          .build();

  /** The names of the types of values, as the author of a body knows them. */
  private static final Map<Class<?>, String> KINDS =
      Map.of(
          String.class, "a text",
          boolean.class, "true or false",
          Boolean.class, "true or false",
          int.class, "a whole number",
          Integer.class, "a whole number",
          long.class, "a whole number",
          Long.class, "a whole number",
          BigDecimal.class, "a number",
          ArrayList.class, "a list");

  /** The columns that are JSON already. */
  interface JsonColumns {
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

    @JsonRawValue
    String arguments();

    @JsonRawValue
    String editedArguments();

    @JsonRawValue
    String value();
  }

  /** The column that is JSON already. The value that is calculated from the others is left out. */
  @JsonIgnoreProperties("running")
  interface ReleaseColumns {
    @JsonRawValue
    String selection();
  }

  private Bodies() {}

  public static String json(@Nullable Object value) {
    return MAPPER.writeValueAsString(value);
  }

  /**
   * Reads a body.
   *
   * @throws Refused 400 for what is no JSON, 422 for what does not have this type
   */
  static <T> T read(byte[] json, Class<T> type) {
    JsonNode tree = tree(json);
    if (!tree.isObject()) {
      throw new Refused(422, "the body must be a JSON object");
    }
    try {
      return MAPPER.readerFor(type).readValue(tree);
    } catch (JacksonException e) {
      throw new Refused(422, "the body does not fit: " + place(e) + reason(e));
    }
  }

  private static JsonNode tree(byte[] json) {
    try {
      return MAPPER.readTree(json);
    } catch (JacksonException e) {
      var place = e.getLocation();
      throw Refused.badRequest(
          "the body is not one JSON document with each name once, all in UTF-8"
              + (place == null
                  ? ""
                  : ": look at line " + place.getLineNr() + ", column " + place.getColumnNr()));
    } catch (NumberFormatException e) {
      throw Refused.badRequest("the body has a number whose exponent is beyond all bounds");
    }
  }

  static JsonNode tree(String json) {
    return MAPPER.readTree(json);
  }

  /** Returns the name of the value that does not fit. */
  private static String place(JacksonException e) {
    String names =
        e.getPath().stream()
            .map(each -> each.getPropertyName() == null ? "" : each.getPropertyName())
            .filter(name -> !name.isEmpty())
            .collect(Collectors.joining("."));
    return names.isEmpty() ? "" : names + ": ";
  }

  private static String reason(JacksonException e) {
    return switch (e) {
      case UnrecognizedPropertyException unknown ->
          unknown.getKnownPropertyIds().stream()
              .map(String::valueOf)
              .sorted()
              .collect(Collectors.joining(", ", "there is no such name; there are: ", ""));
      case InvalidFormatException wrong when wrong.getTargetType().isEnum() ->
          Stream.of(wrong.getTargetType().getEnumConstants())
              .map(each -> ((Enum<?>) each).name().toLowerCase(Locale.ROOT))
              .sorted()
              .collect(Collectors.joining(", ", "\"" + wrong.getValue() + "\" is none of ", ""));
      case MismatchedInputException wrong when KINDS.containsKey(wrong.getTargetType()) ->
          "must be " + KINDS.get(wrong.getTargetType());
      default -> firstLine(e);
    };
  }

  private static String firstLine(JacksonException e) {
    String line =
        String.valueOf(e.getOriginalMessage())
            .lines()
            .findFirst()
            .orElse("")
            // The sender of the request cannot change Jackson's settings, so they are left out.
            .replaceFirst(" \\(but (could|might) if coercion .*", "");
    // The names of our classes are of no use to the sender.
    return line.replaceAll(
            "\\(?\\b(?:class |record )?[`\"]?dev\\.holdfast\\.[\\w.$]+[`\"]?\\)?", "this request")
        .replaceAll("`?(?:java|tools)\\.[\\w.$]+`?", "the wanted type");
  }
}
