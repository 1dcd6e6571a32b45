package dev.holdfast.cli.output;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Rows in aligned columns. On a terminal, lines are not longer than the terminal's own: first the
 * columns that may be left out are left out, then prose is cut off, the widest first. Ids stay
 * whole. Used by one thread.
 */
public final class TextTable {
  private static final int WIDEST = 60;
  private static final int WIDEST_LAST = 160;
  private static final int NARROWEST = 10;
  private static final int GAP = 2;

  private final List<List<String>> rows = new ArrayList<>();
  private final List<String> headings;
  private final boolean whole;
  private List<Integer> spare = List.of();
  private UnaryOperator<String> paint = UnaryOperator.identity();
  private int painted = -1;

  public TextTable(String... headings) {
    this(false, headings);
  }

  private TextTable(boolean whole, String... headings) {
    this.whole = whole;
    this.headings = List.of(headings);
  }

  /** Makes one that cuts nothing off, however long its lines get. */
  public static TextTable whole(String... headings) {
    return new TextTable(true, headings);
  }

  /** Colours the cells of a column, without changing their text. */
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

  /** Names the columns that a narrow terminal leaves out; the first of them is left out first. */
  public void spare(Integer... columns) {
    spare = List.of(columns);
  }

  public void print(Terminal terminal) {
    List<Integer> shown = new ArrayList<>(IntStream.range(0, headings.size()).boxed().toList());
    int[] widths = headings.stream().mapToInt(TextWidth::of).toArray();
    for (List<String> row : rows) {
      for (int i : shown) {
        widths[i] = Math.max(widths[i], TextWidth.of(row.get(i)));
      }
    }
    int columns = terminal.screen().columns();
    if (!whole && columns > 0) {
      fit(shown, widths, columns);
    }
    terminal.line(line(headings, shown, widths, UnaryOperator.identity()));
    for (List<String> row : rows) {
      terminal.line(line(row, shown, widths, paint));
    }
  }

  private void fit(List<Integer> shown, int[] widths, int columns) {
    int[] narrowest = widths.clone();
    for (int i : shown) {
      if (isProse(i)) {
        narrowest[i] = Math.max(TextWidth.of(headings.get(i)), Math.min(widths[i], NARROWEST));
      }
    }
    for (Integer column : spare) {
      if (total(shown, narrowest) > columns) {
        shown.remove(column);
      }
    }
    while (total(shown, widths) > columns) {
      int widest =
          shown.stream()
              .filter(i -> widths[i] > narrowest[i])
              .max(Comparator.comparingInt(i -> widths[i]))
              .orElse(-1);
      if (widest < 0) {
        return;
      }
      widths[widest]--;
    }
  }

  private static int total(List<Integer> shown, int[] widths) {
    return shown.stream().mapToInt(i -> widths[i] + GAP).sum() - GAP;
  }

  /** Returns true for a column of words, and for the last column whatever is in it. */
  private boolean isProse(int column) {
    return column == headings.size() - 1
        || rows.stream().anyMatch(row -> row.get(column).indexOf(' ') >= 0);
  }

  private String line(
      List<String> row, List<Integer> shown, int[] widths, UnaryOperator<String> colour) {
    StringBuilder line = new StringBuilder();
    for (int i : shown) {
      String cell = TextWidth.cut(row.get(i), widths[i]);
      line.append(i == painted ? colour.apply(cell) : cell)
          .repeat(' ', widths[i] - TextWidth.of(cell) + GAP);
    }
    return line.toString().stripTrailing();
  }
}
