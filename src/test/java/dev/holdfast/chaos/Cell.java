package dev.holdfast.chaos;

import java.nio.file.Path;

/** One way in which things go wrong. */
interface Cell {
  /** Breaks things for the run's length; what it broke is whole again when it returns. */
  void rage(Chaos chaos) throws Exception;

  /** Further environment of the workers, before they start. */
  default void prepare(Chaos chaos) throws Exception {}

  /** What must hold besides the ledger. */
  default void check(Chaos chaos) throws Exception {}

  /** Where the server will be, before it starts. */
  default void home(Path directory) throws Exception {}

  /** When all is over. */
  default void leave() throws Exception {}

  /** The share of the rate before that has to go on while things go wrong. */
  default double goesOn() {
    return 0;
  }

  default int workers() {
    return 2;
  }
}
