package dev.holdfast.cli.root;

import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.TextTable;
import dev.holdfast.cli.output.Words;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/**
 * A command that lists rows: a table, or a JSON array.
 *
 * @param <T> a row
 */
@Command
public final class RowsCommand<T> implements Callable<Integer> {
  /** Reads the rows. */
  @FunctionalInterface
  public interface Rows<T> {
    List<T> read(Backend backend);
  }

  /** Reads the newest rows. */
  @FunctionalInterface
  public interface NewestRows<T> {
    List<T> read(Backend backend, int limit);
  }

  /** The option of a list that grows. */
  private static final class Page {
    @Option(names = "--limit", paramLabel = "N", description = "How many; default 20.")
    private int limit = 20;
  }

  private final HoldfastCommand root;
  private final Rows<T> rows;
  private final Map<String, Function<T, @Nullable Object>> columns = new LinkedHashMap<>();
  private @Nullable Page page;
  private String whenNone = "";

  @Mixin private final ListForm form = new ListForm();

  private RowsCommand(HoldfastCommand root, Rows<T> rows) {
    this.root = root;
    this.rows = rows;
  }

  /** Makes a command that lists all rows. */
  public static <T> RowsCommand<T> all(HoldfastCommand root, Rows<T> rows) {
    return new RowsCommand<>(root, rows);
  }

  /** Makes a command that lists the newest rows, 20 or {@code --limit}. */
  public static <T> RowsCommand<T> newest(HoldfastCommand root, NewestRows<T> rows) {
    Page page = new Page();
    RowsCommand<T> command =
        new RowsCommand<>(root, backend -> rows.read(backend, Words.limit(page.limit)));
    command.page = page;
    return command;
  }

  /** Adds a column of the table; the last column may be wide. */
  public RowsCommand<T> column(String heading, Function<T, @Nullable Object> cell) {
    columns.put(heading, cell);
    return this;
  }

  /**
   * Returns the command with its help.
   *
   * @param whenNone tells a person who sees no rows how to make one
   */
  public CommandLine line(String whenNone, String description, String... examples) {
    this.whenNone = whenNone;
    CommandLine line = new CommandLine(this);
    if (page != null) {
      line.addMixin("page", page);
    }
    return UsageHelp.of(line, description, examples);
  }

  @Override
  public Integer call() {
    ListForm.Form wanted = form.form();
    try (Backend backend = root.open()) {
      List<T> found = rows.read(backend);
      switch (wanted) {
        case JSON -> root.terminal().line(JsonOutput.of(found));
        case NAME -> found.forEach(row -> root.terminal().line(name(row)));
        case TABLE, WIDE -> print(found, wanted);
      }
      return ExitCode.DONE;
    }
  }

  /** Returns the text of the first column. */
  private String name(T row) {
    return PlainText.oneLine(columns.values().iterator().next().apply(row));
  }

  private void print(List<T> found, ListForm.Form wanted) {
    if (found.isEmpty()) {
      root.terminal().progress(whenNone);
      return;
    }
    String[] headings = columns.keySet().toArray(String[]::new);
    TextTable table =
        wanted == ListForm.Form.WIDE ? TextTable.whole(headings) : new TextTable(headings);
    found.forEach(
        row -> table.row(columns.values().stream().map(cell -> cell.apply(row)).toArray()));
    table.print(root.terminal());
  }
}
