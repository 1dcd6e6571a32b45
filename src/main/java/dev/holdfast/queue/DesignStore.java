package dev.holdfast.queue;

import dev.holdfast.ticket.Design;
import java.util.List;
import java.util.Optional;

/** The stored designs. Versions are added, never changed. Thread-safe. */
public interface DesignStore {
  /**
   * Stores a new version, unless the latest one is the same document: then that one is returned.
   *
   * @param definition JSON text, already validated
   */
  Design put(String name, String kind, String definition, String actor);

  /** The latest version of each, by name. */
  List<Design> list();

  /** The latest version. */
  Optional<Design> find(String name);
}
