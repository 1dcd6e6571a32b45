package dev.holdfast.web.console.view;

import dev.holdfast.queue.read.TicketFilter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Makes the statement that shows in psql what a page shows. People copy it; it is never run from
 * here.
 */
public final class SqlText {
  private SqlText() {}

  public static String ticket(long id) {
    return ("SELECT * FROM holdfast.tickets WHERE id = %s;\nSELECT at, event, actor, details FROM"
            + " holdfast.ticket_timeline WHERE ticket_id = %s ORDER BY at;")
        .formatted(id, id);
  }

  /**
   * @param keyId empty for all keys
   */
  public static String mend(String provider, String actor, String keyId) {
    return "SELECT * FROM holdfast.mend_provider(%s, %s%s);"
        .formatted(literal(provider), literal(actor), keyId.isEmpty() ? "" : ", " + literal(keyId));
  }

  public static String group(String fingerprint, String category) {
    return ("SELECT id, title, held_for, hold_reason, error FROM holdfast.on_hold_tickets\nWHERE"
            + " %s AND %s;")
        .formatted(equal("error_fingerprint", fingerprint), equal("error_category", category));
  }

  private static String equal(String column, String value) {
    return value.isEmpty() ? column + " IS NULL" : column + " = " + literal(value);
  }

  public static String tickets(TicketFilter query) {
    List<String> where = new ArrayList<>();
    add(where, "state", query.state() == null ? null : query.state().wireName());
    add(where, "queue", query.queue());
    add(where, "kind", query.kind());
    add(where, "design", query.design());
    add(where, "error_category", query.category());
    addFingerprint(where, query);
    addIf(where, "(title ILIKE %1$s OR unique_key ILIKE %1$s)", query.textPattern());
    addIf(where, "created_at >= %s", query.createdFrom());
    addIf(where, "created_at < %s", query.createdBefore());
    addIf(
        where,
        "id IN (SELECT ticket_id FROM holdfast.ticket_assignments WHERE assignee = %s)",
        query.assignee());
    addIf(where, "batch_id = %s", query.batchId());
    addIf(where, "id < %s", query.beforeId());
    return "SELECT id, title, state, queue, kind, error FROM holdfast.tickets"
        + (where.isEmpty() ? "" : "\nWHERE " + String.join(" AND ", where))
        + "\nORDER BY id DESC LIMIT "
        + query.limit()
        + ";";
  }

  private static void addFingerprint(List<String> where, TicketFilter query) {
    if (query.hasStartOfFingerprint()) {
      addIf(where, "starts_with(error_fingerprint, %s)", query.fingerprint());
    } else {
      add(where, "error_fingerprint", query.fingerprint());
    }
  }

  /**
   * @param condition the condition, with a place for the value
   */
  private static void addIf(List<String> where, String condition, @Nullable Object value) {
    if (value != null) {
      where.add(condition.formatted(value instanceof Long ? value : literal(value.toString())));
    }
  }

  private static void add(List<String> where, String column, @Nullable String value) {
    if (value != null) {
      where.add(equal(column, value));
    }
  }

  private static String literal(String text) {
    String quoted = "'" + text.replace("'", "''") + "'";
    return text.contains("\\") ? "E" + quoted.replace("\\", "\\\\") : quoted;
  }
}
