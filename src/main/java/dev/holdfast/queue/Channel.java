package dev.holdfast.queue;

import java.util.Locale;

/** The way by which a person's action came in; {@code ticket_activity.channel} records it. */
public enum Channel {
  /** A program, or a script of a page, through {@code /api}. */
  API,
  /** A form of the console. */
  CONSOLE,
  /** A command on the database. */
  CLI,
  /** An assistant that somebody let act. */
  MCP;

  public String wireName() {
    return name().toLowerCase(Locale.ROOT);
  }
}
