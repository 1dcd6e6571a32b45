package dev.holdfast.queue.takeover;

import dev.holdfast.ticket.InvalidTicketException;
import java.util.List;
import java.util.function.IntConsumer;

/**
 * Takes over the tickets of a table from before Holdfast (A59). The source is only read. Each row
 * is taken once, however often this runs. Used by one thread.
 */
public interface TicketImport {
  /**
   * The designs that the source's tickets use, the most used first.
   *
   * @throws InvalidTicketException if the source cannot be read as tickets; the message says what
   *     it lacks and what to do
   */
  List<SourceDesign> designs(SourceTable source);

  /** False before the first migration. {@link #designs} and {@link #preview} work all the same. */
  boolean isSchemaThere();

  /**
   * The changes that {@link #take} would make. Writes nothing.
   *
   * @param looked told after each page how many rows it had
   */
  List<ImportLine> preview(ImportOrder order, IntConsumer looked);

  /**
   * In pages, each a transaction: what is cut off goes on at the next run.
   *
   * @param looked told after each page how many rows it had, those taken before too
   */
  List<ImportLine> take(ImportOrder order, String actor, IntConsumer looked);
}
