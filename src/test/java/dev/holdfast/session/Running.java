package dev.holdfast.session;

import dev.holdfast.session.report.SessionResult;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** A session that runs on a thread of its own. */
final class Running {
  private final CompletableFuture<SessionResult> result = new CompletableFuture<>();
  private volatile boolean interrupted;
  private final Thread thread;

  private Running(Bench bench) {
    thread =
        Thread.ofVirtual()
            .unstarted(
                () -> {
                  try {
                    SessionResult ended = bench.run();
                    interrupted = Thread.currentThread().isInterrupted();
                    result.complete(ended);
                  } catch (RuntimeException | Error e) {
                    result.completeExceptionally(e);
                  }
                });
  }

  static Running start(Bench bench) {
    bench.session();
    Running running = new Running(bench);
    running.thread.start();
    return running;
  }

  void interrupt() {
    thread.interrupt();
  }

  boolean isDone() {
    return result.isDone();
  }

  SessionResult result() throws Exception {
    return result.get(60, TimeUnit.SECONDS);
  }

  boolean interruptedAfterwards() {
    return interrupted;
  }
}
