package dev.holdfast.testing;

import java.util.HashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What became different between two pictures of a row. */
public final class RowDiff {
  private RowDiff() {}

  /** The changed columns with their new values. */
  public static Map<String, @Nullable String> changed(
      Map<String, @Nullable String> before, Map<String, @Nullable String> after) {
    Map<String, @Nullable String> changed = new TreeMap<>();
    Set<String> columns = new TreeSet<>(new HashSet<>(before.keySet()));
    columns.addAll(after.keySet());
    for (String column : columns) {
      if (!Objects.equals(before.get(column), after.get(column))) {
        changed.put(column, after.get(column));
      }
    }
    return changed;
  }
}
