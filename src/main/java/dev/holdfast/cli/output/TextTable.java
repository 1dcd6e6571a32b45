package dev.holdfast.cli.output;

import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Rows in aligned columns; the last column may be wider. Used by one thread. */
public final class TextTable {
  private static final int WIDEST = 60;
  private static final int WIDEST_LAST = 160;

  private final List<List<String>> rows = new ArrayList<>();

  public TextTable(String... headings) {
    rows.add(List.of(headings));
  }

  public void row(@Nullable Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      boolean last = row.size() == cells.length - 1;
      row.add(PlainText.cut(PlainText.oneLine(cell), last ? WIDEST_LAST : WIDEST));
    }
    rows.add(row);
  }

  public void print(Terminal terminal) {
    int columns = rows.getFirst().size();
    int[] widths = new int[columns];
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], row.get(i).length());
      }
    }
    rows.forEach(row -> terminal.line(line(row, widths)));
  }

  private static String line(List<String> row, int[] widths) {
    StringBuilder line = new StringBuilder();
    for (int i = 0; i < widths.length; i++) {
      line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
    }
    return line.toString().stripTrailing();
  }
}
