package dev.holdfast.config;

import java.util.List;

/** How the program logs. */
final class LogKeys {
  static final Key<String> FORMAT =
      Key.of(
          "log.format",
          new KeyType.Choice<>(List.of("text", "json"), word -> word),
          "text",
          "How lines of the log are written: for people, or one JSON object each, with the ticket,"
              + " the attempt and the trace under mdc.");

  /** In the order of the documentation. */
  static final List<Key<?>> ALL = List.of(FORMAT);

  private LogKeys() {}
}
