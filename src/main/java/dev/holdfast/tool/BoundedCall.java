package dev.holdfast.tool;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Runs a tool on a thread of its own, so that one which hangs can be left behind. */
final class BoundedCall {
  private static final Logger log = LoggerFactory.getLogger(BoundedCall.class);

  private BoundedCall() {}

  /**
   * @throws TimeoutException when the time is over; the tool was interrupted and given the grace
   *     time to end
   * @throws InterruptedException when this thread is interrupted; the tool too
   */
  static <T> T run(String name, Callable<T> body, Duration timeout, Duration grace)
      throws Exception {
    FutureTask<T> task = new FutureTask<>(LogContext.carried(body));
    Thread thread = Thread.ofVirtual().name("holdfast-tool-" + name).start(task);
    try {
      return task.get(timeout.toNanos(), TimeUnit.NANOSECONDS);
    } catch (ExecutionException e) {
      throw unwrapped(e);
    } catch (TimeoutException e) {
      stop(name, thread, grace);
      return late(name, task, timeout);
    } catch (InterruptedException e) {
      stop(name, thread, grace);
      throw e;
    }
  }

  private static <T> T late(String name, FutureTask<T> task, Duration timeout)
      throws TimeoutException {
    if (task.state() == Future.State.SUCCESS) {
      return task.resultNow();
    }
    throw new TimeoutException(
        "Tool '" + name + "' did not end within " + timeout.toSeconds() + " s and was stopped");
  }

  private static Exception unwrapped(ExecutionException e) {
    return switch (e.getCause()) {
      case Error error -> throw error;
      case Exception exception -> exception;
      case null, default -> e;
    };
  }

  private static void stop(String name, Thread thread, Duration grace) throws InterruptedException {
    thread.interrupt();
    if (!thread.join(grace)) {
      log.warn("Tool '{}' does not react to its interrupt and is left behind", name);
    }
  }
}
