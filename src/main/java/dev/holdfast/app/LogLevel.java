package dev.holdfast.app;

import java.util.Arrays;
import java.util.List;
import java.util.Map;

/** Sets the log level of a command. */
final class LogLevel {
  private LogLevel() {}

  /**
   * Returns HOLDFAST_LOG_LEVEL if it is set. Otherwise a worker logs more, because people look at
   * its log.
   */
  static String of(Map<String, String> environment, String... arguments) {
    String wanted = environment.getOrDefault("HOLDFAST_LOG_LEVEL", "");
    if (!wanted.isBlank()) {
      return wanted;
    }
    List<String> words = Arrays.asList(arguments);
    if (words.contains("--verbose") || words.contains("-v")) {
      return "debug";
    }
    return words.contains("worker") ? "info" : "warn";
  }
}
