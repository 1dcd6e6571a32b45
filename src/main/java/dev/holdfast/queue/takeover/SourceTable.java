package dev.holdfast.queue.takeover;

import dev.holdfast.ticket.InvalidInputException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** A table or view of tickets from before Holdfast, in the same database. */
public record SourceTable(String schema, String table) {
  private static final Pattern NAME =
      Pattern.compile("([A-Za-z_][A-Za-z0-9_$]{0,62})\\.([A-Za-z_][A-Za-z0-9_$]{0,62})");

  /**
   * @param name as {@code public.tickets}, in the letters of the catalogue
   * @throws InvalidInputException if it is something else, or a table of Holdfast's own
   */
  public static SourceTable parse(String name) {
    Matcher parts = NAME.matcher(name);
    if (!parts.matches()) {
      throw new InvalidInputException(
          "\"" + name + "\" is no table with its schema; write it as public.tickets");
    }
    if (parts.group(1).equals("holdfast")) {
      throw new InvalidInputException(
          "the schema holdfast is Holdfast's own; name the table that other programs use, as"
              + " public.tickets");
    }
    return new SourceTable(parts.group(1), parts.group(2));
  }

  /** As {@code public.tickets}. */
  public String name() {
    return schema + "." + table;
  }
}
