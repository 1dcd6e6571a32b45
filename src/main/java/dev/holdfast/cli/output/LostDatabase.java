package dev.holdfast.cli.output;

import dev.holdfast.queue.QueueUnavailableException;

/** Tells people once that a database is away which a command waits for, until it answers again. */
public final class LostDatabase {
  private final Terminal terminal;
  private boolean told;

  public LostDatabase(Terminal terminal) {
    this.terminal = terminal;
  }

  public void tell(QueueUnavailableException e) {
    if (!told) {
      terminal.progress("holdfast: " + PlainText.oneLine(e.getMessage()) + "; waiting for it");
    }
    told = true;
  }

  /** It has answered. */
  public void found() {
    told = false;
  }
}
