package dev.holdfast.postgres.inbox;

import dev.holdfast.queue.takeover.SourceTable;
import dev.holdfast.ticket.InvalidInputException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jdbi.v3.core.Handle;

/** The columns of a source by name, with their types, and the names as SQL writes them. */
record SourceColumns(String relation, Map<String, String> types) {
  private static final List<String> TIMES =
      List.of("created_at", "updated_at", "started_at", "completed_at", "retry_after");

  private static final String COLUMNS =
      """
      SELECT a.attname, format_type(a.atttypid, a.atttypmod)
      FROM pg_attribute a WHERE a.attrelid = to_regclass(:relation) AND a.attnum > 0 AND NOT a.attisdropped
      """;

  /** Returns the columns; none if there is no such relation. */
  static SourceColumns of(Handle handle, String schema, String table) {
    String relation = '"' + schema + "\".\"" + table + '"';
    Map<String, String> types = new LinkedHashMap<>();
    handle
        .createQuery(COLUMNS)
        .bind("relation", relation)
        .map((row, context) -> Map.entry(row.getString(1), row.getString(2)))
        .forEach(each -> types.put(each.getKey(), each.getValue()));
    return new SourceColumns(relation, types);
  }

  /**
   * @throws InvalidInputException if it cannot be read as tickets
   */
  static SourceColumns ofTickets(Handle handle, SourceTable source) {
    SourceColumns columns = of(handle, source.schema(), source.table());
    if (columns.types().isEmpty()) {
      throw new InvalidInputException(
          "there is no table " + source.name() + " in this database; \\dt *.* in psql lists them");
    }
    for (String required : List.of("id", "state")) {
      if (!columns.has(required)) {
        throw refused(source, "has no column " + required);
      }
    }
    for (String time : TIMES) {
      String type = columns.types().getOrDefault(time, "timestamp");
      if (!type.startsWith("timestamp") && !type.equals("date")) {
        throw refused(source, "has the column " + time + " of type " + type + ", not timestamp");
      }
    }
    return columns;
  }

  private static InvalidInputException refused(SourceTable source, String why) {
    return new InvalidInputException(
        source.name()
            + " "
            + why
            + "; make a view of it that has id, state and times as timestamps, and name the view");
  }

  boolean has(String column) {
    return types.containsKey(column);
  }

  /** Returns true if it can be a source's table of designs. */
  boolean isOfDesigns() {
    return has("id") && has("name") && has("definition");
  }

  String idType() {
    return types.getOrDefault("id", "text");
  }
}
