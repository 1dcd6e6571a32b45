package dev.holdfast.cli.output;

import dev.holdfast.queue.DatabaseUnavailableException;

/**
 * Tells people once that a command waits for a database that is away. It tells them again only
 * after the database has answered.
 */
public final class LostDatabase {
  private final Terminal terminal;
  private boolean told;

  public LostDatabase(Terminal terminal) {
    this.terminal = terminal;
  }

  public void tell(DatabaseUnavailableException e) {
    if (!told) {
      terminal.progress("holdfast: " + PlainText.oneLine(e.getMessage()) + "; waiting for it");
    }
    told = true;
  }

  /** Notes that the database has answered. */
  public void found() {
    told = false;
  }
}
