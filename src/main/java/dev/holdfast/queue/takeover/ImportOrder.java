package dev.holdfast.queue.takeover;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The order to import the rows of a table.
 *
 * @param designs what becomes of the tickets of each design; those of others are left
 * @param running what becomes of tickets in progress
 */
public record ImportOrder(SourceTable source, List<Choice> designs, Running running) {
  public ImportOrder {
    designs = List.copyOf(designs);
  }

  /**
   * @param key the key of a {@link SourceDesign}
   * @param kind the kind of its tickets here
   * @param designId the id of their design here; null for tickets without one
   */
  public record Choice(String key, String kind, @Nullable Long designId) {}

  /** What becomes of tickets in progress: an old worker may still be at work on them. */
  public enum Running {
    LEAVE,
    READY
  }
}
