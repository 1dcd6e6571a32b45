package dev.holdfast.cli.output;

import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Rows in aligned columns. The last column may be wider, and on a terminal it ends where the line
 * does. Used by one thread.
 */
public final class TextTable {
  private static final int WIDEST = 60;
  private static final int WIDEST_LAST = 160;
  private static final int NARROWEST_LAST = 10;

  private final List<List<String>> rows = new ArrayList<>();
  private final List<String> headings;
  private final boolean whole;
  private UnaryOperator<String> paint = UnaryOperator.identity();
  private int painted = -1;

  public TextTable(String... headings) {
    this(false, headings);
  }

  private TextTable(boolean whole, String... headings) {
    this.whole = whole;
    this.headings = List.of(headings);
  }

  /** One that cuts nothing off, however long its lines get. */
  public static TextTable whole(String... headings) {
    return new TextTable(true, headings);
  }

  /** Colours the cells of a column, without changing what is read. */
  public void paint(int column, UnaryOperator<String> colour) {
    painted = column;
    paint = colour;
  }

  public void row(@Nullable Object... cells) {
    List<String> row = new ArrayList<>();
    for (Object cell : cells) {
      boolean last = row.size() == cells.length - 1;
      String text = PlainText.oneLine(cell);
      row.add(whole ? text : TextWidth.cut(text, last ? WIDEST_LAST : WIDEST));
    }
    rows.add(row);
  }

  public void print(Terminal terminal) {
    int columns = headings.size();
    int[] widths = headings.stream().mapToInt(TextWidth::of).toArray();
    for (List<String> row : rows) {
      for (int i = 0; i < columns; i++) {
        widths[i] = Math.max(widths[i], TextWidth.of(row.get(i)));
      }
    }
    int lastWidth = lastWidth(widths, terminal.screen());
    terminal.line(line(headings, widths, lastWidth, UnaryOperator.identity()));
    for (List<String> row : rows) {
      terminal.line(line(row, widths, lastWidth, paint));
    }
  }

  /** The rest of the terminal's line, for the last column. */
  private int lastWidth(int[] widths, Screen screen) {
    if (whole || screen.columns() == 0) {
      return Integer.MAX_VALUE;
    }
    int before = 0;
    for (int i = 0; i < widths.length - 1; i++) {
      before += widths[i] + 2;
    }
    return Math.max(NARROWEST_LAST, screen.columns() - before);
  }

  private String line(List<String> row, int[] widths, int lastWidth, UnaryOperator<String> colour) {
    StringBuilder line = new StringBuilder();
    int last = widths.length - 1;
    for (int i = 0; i < last; i++) {
      String cell = row.get(i);
      line.append(i == painted ? colour.apply(cell) : cell)
          .repeat(' ', widths[i] - TextWidth.of(cell) + 2);
    }
    return line.append(TextWidth.cut(row.get(last), lastWidth)).toString().stripTrailing();
  }
}
