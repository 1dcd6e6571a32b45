package dev.holdfast.queue.read;

import java.util.List;

/**
 * The newest rows of a list that may be longer than the memory of its reader.
 *
 * @param rows oldest first
 * @param older how many older ones are left out
 */
public record Newest<T>(List<T> rows, long older) {
  public Newest {
    rows = List.copyOf(rows);
  }
}
