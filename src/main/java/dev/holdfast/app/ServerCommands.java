package dev.holdfast.app;

import dev.holdfast.cli.Servers;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.Settings;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.tool.sandbox.SandboxState;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The commands that run until they are told to end.
 *
 * @param home where data and work are kept: {@code .holdfast}
 */
record ServerCommands(Path home) implements Servers {
  private static final Logger log = LoggerFactory.getLogger(ServerCommands.class);

  /**
   * How long the end of a start waits for the database's answer. Nothing is claimed before the
   * database has answered, so nothing is lost where it never does.
   */
  private static final Duration START_PATIENCE = Duration.ofSeconds(5);

  /**
   * The same with an embedded server, which is made and started first and must not be left running.
   */
  private static final Duration EMBEDDED_PATIENCE = Duration.ofMinutes(1);

  /** The time for the rest after a drain that took its whole time. */
  private static final Duration LAST_STEPS = Duration.ofSeconds(5);

  @Override
  public int worker(
      Settings settings, @Nullable Path embedded, boolean console, Terminal terminal) {
    LogOutput.neverWait();
    StartedParts parts = new StartedParts();
    // The hook must be there before the first claim: a signal that finds no hook ends a worker
    // without a drain, and what it has claimed by then waits for its lease to expire.
    CompletableFuture<AutoCloseable> running = new CompletableFuture<>();
    CompletableFuture<Void> answered = new CompletableFuture<>();
    Duration patience = embedded == null ? START_PATIENCE : EMBEDDED_PATIENCE;
    Duration ownServer = embedded == null ? Duration.ZERO : EMBEDDED_PATIENCE;
    Thread hook =
        new ProcessExit(answered, running, patience, longest(settings).plus(ownServer)).atSignal();
    Systemd systemd = parts.add(new Systemd(System.getenv()), Systemd::close);
    try {
      tellIfSlow(answered, patience);
      EmbeddedServer server =
          embedded == null ? null : parts.add(startEmbedded(embedded), EmbeddedServer::close);
      if (server != null) {
        parts.add(EmbeddedRevival.of(server), EmbeddedRevival::close);
      }
      EmbeddedServer.Address own = server == null ? running(settings) : server.address();
      Settings used =
          own == null ? settings : settings.withOwnDatabase(own.directory(), own.password());
      WorkerProcess worker =
          parts.add(
              WorkerProcess.start(used, database(used, own), event -> {}, console ? home : null),
              WorkerProcess::close);
      answered.complete(null);
      announce(terminal, "worker " + worker.workerId(), settings, worker.port());
      if (server != null) {
        tell(terminal, "look at the tables: " + psql(server.address()));
      }
      if (worker.tokenIsKept()) {
        tell(terminal, "the console's token is in " + home.resolve("token"));
      }
      systemd.ready(worker.live());
      parts.add(systemd, Systemd::stopping);
      running.complete(parts);
      // This may hang where bubblewrap is on a file system that hangs. The worker still works and
      // drains.
      Thread.ofVirtual().start(() -> tellTrouble(worker));
    } catch (RuntimeException | Error e) {
      parts.closeAfter(e);
      running.complete(() -> {});
      ProcessExit.forget(hook);
      LogOutput.end();
      throw e;
    }
    waitForEver();
    return ExitCode.DONE;
  }

  @Override
  public int console(Settings settings, Terminal terminal) {
    LogOutput.neverWait();
    CompletableFuture<AutoCloseable> running = new CompletableFuture<>();
    Thread hook = new ProcessExit(running, running, START_PATIENCE, longest(settings)).atSignal();
    try {
      tellIfSlow(running, START_PATIENCE);
      ConsoleProcess console =
          ConsoleProcess.start(settings, database(settings, running(settings)), home);
      running.complete(console);
      announce(terminal, "console", settings, console.port());
      tell(terminal, "open " + console.entrance());
    } catch (RuntimeException | Error e) {
      running.complete(() -> {});
      ProcessExit.forget(hook);
      LogOutput.end();
      throw e;
    }
    waitForEver();
    return ExitCode.DONE;
  }

  private static Duration longest(Settings settings) {
    return settings.worker().drainTimeout().plus(LAST_STEPS);
  }

  private static void tellTrouble(WorkerProcess worker) {
    SandboxState sandbox = worker.sandbox();
    if (sandbox.isTrouble()) {
      log.warn("{}", sandbox.sentence());
    }
  }

  private static void tellIfSlow(CompletableFuture<?> answered, Duration patience) {
    CompletableFuture.delayedExecutor(patience.toMillis(), TimeUnit.MILLISECONDS)
        .execute(
            () -> {
              if (!answered.isDone()) {
                log.warn("still starting: waiting for the database");
              }
            });
  }

  private static void tell(Terminal terminal, String line) {
    terminal.out().println(line);
    terminal.out().flush();
  }

  private static void announce(Terminal terminal, String who, Settings settings, int port) {
    terminal
        .out()
        .printf(Locale.ROOT, "%s listens on http://%s:%d%n", who, settings.web().host(), port);
    terminal.out().flush();
  }

  /**
   * Returns a command that opens the tables. A worker's output ends in files that others may read,
   * so the password stays in its own file.
   */
  private static String psql(EmbeddedServer.Address address) {
    String file = address.passwordFile().toString().replace("'", "'\\''");
    return "PGPASSWORD=$(cat '" + file + "') psql " + address.url(address.user());
  }

  private EmbeddedServer startEmbedded(Path directory) {
    return EmbeddedServer.start(
        EmbeddedServerOptions.in(home).withDirectory(directory),
        address -> Migrations.migrate(Demo.database(address).unpooled()));
  }

  /** Returns the embedded database that runs here; null where a database is configured. */
  private EmbeddedServer.@Nullable Address running(Settings settings) {
    return settings.database().url() == null
        ? OneShot.embedded(home, "let the worker start one with --embedded", ConfigException::new)
        : null;
  }

  private static Database database(Settings settings, EmbeddedServer.@Nullable Address own) {
    if (own != null) {
      return Demo.database(own);
    }
    return OneShot.database(settings, Objects.requireNonNull(settings.database().url()));
  }

  private static void waitForEver() {
    try {
      new CountDownLatch(1).await();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public int demo(Settings settings, boolean exitWhenDone, Terminal terminal) {
    Demo demo = Demo.start(terminal.out(), settings, home);
    CompletableFuture<AutoCloseable> running =
        CompletableFuture.completedFuture(() -> end(demo, terminal));
    Duration longest = longest(settings).plus(EMBEDDED_PATIENCE);
    Thread hook = new ProcessExit(running, running, Duration.ZERO, longest).atSignal();
    try {
      if (!exitWhenDone) {
        demo.run();
        return ExitCode.DONE;
      }
      boolean done = demo.runUntilDone();
      demo.close();
      ProcessExit.forget(hook);
      return done ? ExitCode.DONE : ExitCode.FAILED;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return ExitCode.FAILED;
    }
  }

  private static void end(Demo demo, Terminal terminal) {
    demo.close();
    terminal.line("The demo has ended; its data stays in .holdfast.");
    terminal.out().flush();
  }
}
