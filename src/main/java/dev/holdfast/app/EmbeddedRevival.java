package dev.holdfast.app;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerException;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Starts an embedded PostgreSQL again that has died, or that the worker which started it took away
 * when it ended. Of several workers that use it the first does, and the others find it running.
 */
final class EmbeddedRevival implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(EmbeddedRevival.class);
  private static final Backoff PAUSES = new Backoff(BackoffType.EXPONENTIAL, Duration.ofSeconds(1));
  private static final Duration LONGEST_PAUSE = Duration.ofMinutes(1);

  private final EmbeddedServer server;
  private final CompletableFuture<Void> closed = new CompletableFuture<>();

  private EmbeddedRevival(EmbeddedServer server) {
    this.server = server;
  }

  /** Watches the server until this is closed, which has to be before the server is. */
  static EmbeddedRevival of(EmbeddedServer server) {
    EmbeddedRevival revival = new EmbeddedRevival(server);
    Thread.ofPlatform().daemon().name("holdfast-embedded").start(revival::run);
    return revival;
  }

  private void run() {
    int tries = 0;
    while (true) {
      long since = System.nanoTime();
      CompletableFuture.anyOf(server.death(), closed).join();
      if (System.nanoTime() - since > LONGEST_PAUSE.toNanos()) {
        tries = 0;
      }
      do {
        if (closed.isDone()) {
          return;
        }
        Duration pause = PAUSES.delay(++tries, LONGEST_PAUSE);
        log.warn(
            "the embedded PostgreSQL has ended; it is started again in {} s", pause.toSeconds());
        closed.copy().completeOnTimeout(null, pause.toNanos(), TimeUnit.NANOSECONDS).join();
      } while (!startAgain());
    }
  }

  private boolean startAgain() {
    EmbeddedServer.Address before = server.address();
    try {
      server.startAgain();
    } catch (EmbeddedServerException e) {
      log.warn("{}", e.getMessage());
      return false;
    }
    if (server.address().port() == before.port()) {
      log.info("the embedded PostgreSQL runs again: {}", server.address());
    } else {
      log.warn(
          "the embedded PostgreSQL runs again, but another program has its port: restart this"
              + " worker, which looks for it at {}",
          before.jdbcUrl());
    }
    return true;
  }

  @Override
  public void close() {
    closed.complete(null);
  }
}
