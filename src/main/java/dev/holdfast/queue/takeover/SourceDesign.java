package dev.holdfast.queue.takeover;

import org.jspecify.annotations.Nullable;

/**
 * A design that tickets of a {@link SourceTable} use.
 *
 * @param key its id there; empty for the tickets without a design
 * @param name null where the table of designs has no such row, or several
 * @param definition as text; it may be anything
 * @param tickets how many use it
 */
public record SourceDesign(
    String key, @Nullable String name, @Nullable String definition, long tickets) {
  /** Returns its name, otherwise its id; {@code -} for no design. */
  public String label() {
    if (name != null) {
      return name;
    }
    return key.isEmpty() ? "-" : key;
  }
}
