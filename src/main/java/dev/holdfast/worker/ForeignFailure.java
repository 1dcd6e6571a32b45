package dev.holdfast.worker;

import org.slf4j.Logger;

/**
 * Logs what the code of others threw. An exception whose own methods throw harms nobody either: a
 * claim would leave its tickets without a run, and a worker would not drain.
 */
final class ForeignFailure {
  private ForeignFailure() {}

  static void warn(Logger log, String words, Throwable e) {
    try {
      log.warn(words, e);
    } catch (Throwable untold) {
      try {
        log.warn("{}: {}", words, e.getClass().getName());
      } catch (Throwable again) {
        // Not even the log takes it: no memory, or a class that cannot be loaded.
      }
    }
  }
}
