package dev.holdfast.tool;

import java.util.Map;
import java.util.concurrent.Callable;
import org.slf4j.MDC;

/** Makes a thread log under the ticket of the thread that it works for. */
final class LogContext {
  private LogContext() {}

  /**
   * @param task for a thread of its own
   */
  static <T> Callable<T> carried(Callable<T> task) {
    Map<String, String> context = MDC.getCopyOfContextMap();
    return () -> {
      if (context != null) {
        MDC.setContextMap(context);
      }
      return task.call();
    };
  }
}
