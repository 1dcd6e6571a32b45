package dev.holdfast.postgres.inbox;

import dev.holdfast.queue.takeover.ImportLine.Outcome;
import java.util.List;
import org.jdbi.v3.core.statement.Query;
import org.jspecify.annotations.Nullable;

/** A row of a source, as import_preview.sql and import_take.sql return it. */
record ImportedRow(
    String sourceId,
    @Nullable String state,
    @Nullable String newState,
    String designKey,
    @Nullable String kind,
    Outcome outcome,
    @Nullable Long ticketId) {

  static List<ImportedRow> list(Query query) {
    return query
        .map(
            (row, context) ->
                new ImportedRow(
                    row.getString("source_id"),
                    row.getString("old_state"),
                    row.getString("new_state"),
                    row.getString("design_key"),
                    row.getString("kind"),
                    outcome(row.getString("problem"), row.getBoolean("taken_before")),
                    row.getObject("ticket_id", Long.class)))
        .list();
  }

  private static Outcome outcome(@Nullable String problem, boolean takenBefore) {
    return switch (problem) {
      case null -> takenBefore ? Outcome.TAKEN_BEFORE : Outcome.TAKEN;
      case "in_progress" -> Outcome.LEFT_RUNNING;
      case "same_id" -> Outcome.SAME_ID;
      case "count" -> Outcome.BAD_COUNT;
      // It was taken before it was changed there, or by an older build.
      case "queue" -> takenBefore ? Outcome.TAKEN_BEFORE : Outcome.BAD_QUEUE;
      case "retry_strategy" -> takenBefore ? Outcome.TAKEN_BEFORE : Outcome.BAD_STRATEGY;
      case "time" -> takenBefore ? Outcome.TAKEN_BEFORE : Outcome.BAD_TIME;
      case "payload" -> takenBefore ? Outcome.TAKEN_BEFORE : Outcome.BAD_PAYLOAD;
      default -> Outcome.NO_DESIGN;
    };
  }
}
