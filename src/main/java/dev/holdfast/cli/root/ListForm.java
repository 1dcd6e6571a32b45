package dev.holdfast.cli.root;

import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.UsageException;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of a list that say how it is printed. */
public final class ListForm {
  @Option(names = "--json", description = "Print a JSON array of rows, as -o json does.")
  private boolean json;

  @Option(
      names = {"-o", "--output"},
      paramLabel = "FORM",
      description =
          "json, wide (nothing cut off, where there are more columns those too) or name (what"
              + " names each row alone, for xargs).")
  private @Nullable String output;

  /** The form in which rows are printed. */
  public enum Form {
    TABLE,
    WIDE,
    JSON,
    NAME
  }

  /**
   * Returns the form that was asked for.
   *
   * @throws UsageException if there is no such form, or there are two
   */
  public Form form() {
    if (output == null) {
      return json ? Form.JSON : Form.TABLE;
    }
    Form form =
        switch (output) {
          case "wide" -> Form.WIDE;
          case "json" -> Form.JSON;
          case "name" -> Form.NAME;
          default ->
              throw new UsageException(
                  "-o: \""
                      + PlainText.cut(PlainText.oneLine(output), 40)
                      + "\" is none of json, wide, name");
        };
    if (json && form != Form.JSON) {
      throw new UsageException("--json and -o " + output + " do not go together; leave one out");
    }
    return form;
  }
}
