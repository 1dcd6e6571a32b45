package dev.holdfast.postgres.inbox;

import dev.holdfast.queue.takeover.ImportLine;
import dev.holdfast.queue.takeover.ImportLine.Outcome;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Groups rows that are alike. */
final class ImportTally {
  private record Alike(
      Outcome outcome,
      @Nullable String state,
      @Nullable String newState,
      String designKey,
      @Nullable String kind) {}

  private final Map<Alike, List<String>> rows = new LinkedHashMap<>();

  void add(ImportedRow row) {
    Alike alike =
        new Alike(row.outcome(), row.state(), row.newState(), row.designKey(), row.kind());
    rows.computeIfAbsent(alike, key -> new ArrayList<>()).add(row.sourceId());
  }

  void addWithoutId(long count) {
    if (count > 0) {
      rows.put(
          new Alike(Outcome.NO_ID, null, null, "", null),
          Collections.nCopies(Math.toIntExact(count), "NULL"));
    }
  }

  /** Returns the lines in the order in which they were first met. */
  List<ImportLine> lines() {
    return rows.entrySet().stream()
        .map(
            each ->
                new ImportLine(
                    each.getKey().outcome(),
                    each.getKey().state(),
                    each.getKey().newState(),
                    each.getKey().designKey(),
                    each.getKey().kind(),
                    each.getValue()))
        .toList();
  }
}
