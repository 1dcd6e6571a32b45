package dev.holdfast.worker;

import org.slf4j.Logger;

/**
 * Logs what the code of others threw. An exception whose own methods throw does no harm either:
 * otherwise a claim would leave its tickets without a run, and a worker would not drain.
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
        // Even the log failed: there is no memory, or a class cannot be loaded.
      }
    }
  }
}
