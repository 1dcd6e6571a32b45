package dev.holdfast.postgres;

import java.util.List;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** Turns a batch into columns: the arrays that {@code unnest} takes apart again. */
public final class Columns {
  private Columns() {}

  public static <T> Long[] longs(List<? extends T> rows, ToLongFunction<? super T> column) {
    Long[] values = new Long[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.applyAsLong(rows.get(i));
    }
    return values;
  }

  public static <T> @Nullable Integer[] integers(
      List<? extends T> rows, Function<? super T, @Nullable Integer> column) {
    @Nullable Integer[] values = new Integer[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.apply(rows.get(i));
    }
    return values;
  }

  public static <T> @Nullable String[] texts(
      List<? extends T> rows, Function<? super T, @Nullable String> column) {
    @Nullable String[] values = new String[rows.size()];
    for (int i = 0; i < values.length; i++) {
      values[i] = column.apply(rows.get(i));
    }
    return values;
  }
}
