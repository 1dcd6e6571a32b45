package dev.holdfast.queue.output;

import java.util.List;

/** Keeps the output of running attempts. Thread-safe. */
public interface OutputLog {
  /**
   * Adds pieces, in one transaction. A piece that is there already is not added twice; those of an
   * attempt that has lost its lease, or whose ticket is gone, are left out.
   *
   * @throws dev.holdfast.queue.DatabaseUnavailableException while the database is away
   */
  void append(List<OutputChunk> pieces);
}
