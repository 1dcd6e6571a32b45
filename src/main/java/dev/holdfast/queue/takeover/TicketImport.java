package dev.holdfast.queue.takeover;

import dev.holdfast.ticket.InvalidInputException;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Takes over the tickets of a table from before Holdfast (A59). The source is only read. Each row
 * is taken once, however often this runs. Used by one thread.
 */
public interface TicketImport {
  /**
   * Returns the designs that the source's tickets use, the most used first.
   *
   * @throws InvalidInputException if the source cannot be read as tickets; the message says what it
   *     lacks and what to do
   */
  List<SourceDesign> designs(SourceTable source);

  /**
   * Returns false before the first migration. {@link #designs} and {@link #preview} work all the
   * same.
   */
  boolean isSchemaThere();

  /**
   * Shows the changes that {@link #take} would make. Writes nothing.
   *
   * @param looked is called after each page with the number of its rows
   */
  List<ImportLine> preview(ImportOrder order, IntConsumer looked);

  /**
   * Takes the rows in pages, each a transaction: after an interruption the next run goes on.
   *
   * @param looked is called after each page with the number of its rows, including those taken
   *     before
   */
  List<ImportLine> take(ImportOrder order, String actor, IntConsumer looked);
}
