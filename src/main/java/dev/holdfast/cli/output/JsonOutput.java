package dev.holdfast.cli.output;

import java.io.StringWriter;
import java.lang.reflect.Method;
import java.lang.reflect.RecordComponent;
import java.math.BigDecimal;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.json.JsonFactory;

/**
 * Writes rows as JSON with the names of their SQL columns. JSON columns are embedded, times are ISO
 * 8601 in UTC. It streams without data binding, which takes longer to load than a whole command may
 * take.
 */
public final class JsonOutput {
  private static final JsonFactory FACTORY = new JsonFactory();

  /** Components that hold JSON text. */
  private static final Set<String> EMBEDDED =
      Set.of(
          "payload",
          "retryStrategy",
          "result",
          "definition",
          "details",
          "entry",
          "arguments",
          "editedArguments",
          "selection");

  private JsonOutput() {}

  /** Writes a record, a map, a collection or a plain value on one line. */
  public static String of(@Nullable Object value) {
    StringWriter text = new StringWriter();
    try (JsonGenerator json =
        FACTORY.createGenerator(tools.jackson.core.ObjectWriteContext.empty(), text)) {
      write(json, value);
    }
    return text.toString();
  }

  private static void write(JsonGenerator json, @Nullable Object value) {
    switch (value) {
      case null -> json.writeNull();
      case Map<?, ?> map -> {
        json.writeStartObject();
        map.forEach(
            (name, each) -> {
              json.writeName(String.valueOf(name));
              write(json, each);
            });
        json.writeEndObject();
      }
      case Iterable<?> list -> {
        json.writeStartArray();
        list.forEach(each -> write(json, each));
        json.writeEndArray();
      }
      case RawJson raw -> json.writeRawValue(raw.text);
      case Record row -> write(json, columns(row));
      case Boolean flag -> json.writeBoolean(flag);
      case Integer number -> json.writeNumber(number);
      case Long number -> json.writeNumber(number);
      case Double number -> json.writeNumber(number);
      case BigDecimal number -> json.writeNumber(number);
      case Enum<?> word -> json.writeString(word.name().toLowerCase(Locale.ROOT));
      default -> json.writeString(value.toString());
    }
  }

  /**
   * Returns the components of a row by their column names: {@code errorCategory} is {@code
   * error_category}.
   */
  public static Map<String, @Nullable Object> columns(Record row) {
    Map<String, @Nullable Object> columns = new LinkedHashMap<>();
    for (RecordComponent component : row.getClass().getRecordComponents()) {
      String name = component.getName();
      Object value = valueOf(component, row);
      boolean json = EMBEDDED.contains(name);
      columns.put(
          snakeCase(name), json && value instanceof String text ? new RawJson(text) : value);
    }
    return columns;
  }

  /** Returns text that is JSON already, as a value of a map. */
  public static @Nullable Object embedded(@Nullable String json) {
    return json == null ? null : new RawJson(json);
  }

  private record RawJson(String text) {}

  private static @Nullable Object valueOf(RecordComponent component, Record row) {
    try {
      Method accessor = component.getAccessor();
      accessor.setAccessible(true); // a row may be known to its command's package only
      return accessor.invoke(row);
    } catch (ReflectiveOperationException e) {
      throw new IllegalStateException("cannot read " + component, e);
    }
  }

  private static String snakeCase(String name) {
    return name.replaceAll("([A-Z])", "_$1").toLowerCase(Locale.ROOT);
  }
}
