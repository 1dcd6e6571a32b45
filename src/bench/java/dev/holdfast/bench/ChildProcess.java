package dev.holdfast.bench;

import dev.holdfast.postgres.Database;
import dev.holdfast.ticket.HoldfastException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Another process. It gets its database from the environment, and talks by lines. It is ended when
 * this is closed. Used by one thread, but any thread may close it.
 */
final class ChildProcess implements AutoCloseable {
  private static final String ENDED = "the process has ended";
  private static final int PATIENCE_SECONDS = 30;

  private final Process process;
  private final BufferedWriter toIt;
  private final LinkedBlockingQueue<String> lines = new LinkedBlockingQueue<>();
  private final long startedNanos;

  private ChildProcess(Process process, long startedNanos) {
    this.process = process;
    this.startedNanos = startedNanos;
    this.toIt = process.outputWriter(StandardCharsets.UTF_8);
    Thread.ofVirtual().start(this::readLines);
  }

  /**
   * @param directory its working directory: it would read configuration there
   */
  static ChildProcess start(List<String> command, Database database, Path directory) {
    return start(command, database, directory, Map.of());
  }

  /**
   * @param settings the variables of its environment, in addition to the database's
   */
  static ChildProcess start(
      List<String> command, Database database, Path directory, Map<String, String> settings) {
    ProcessBuilder builder = new ProcessBuilder(command);
    Map<String, String> environment = builder.environment();
    environment.keySet().removeIf(name -> name.startsWith("HOLDFAST_"));
    environment.put("HOLDFAST_DATABASE_URL", database.url());
    putIfKnown(environment, "HOLDFAST_DATABASE_USER", database.user());
    putIfKnown(environment, "HOLDFAST_DATABASE_PASSWORD", database.password());
    environment.putAll(settings);
    builder.directory(directory.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
    try {
      long now = System.nanoTime();
      return new ChildProcess(builder.start(), now);
    } catch (IOException e) {
      throw new HoldfastException("cannot start " + command.getFirst() + " (" + e + ")", e);
    }
  }

  private static void putIfKnown(
      Map<String, String> environment,
      String name,
      @org.jspecify.annotations.Nullable String value) {
    if (value != null) {
      environment.put(name, value);
    }
  }

  private void readLines() {
    try (BufferedReader reader = process.inputReader(StandardCharsets.UTF_8)) {
      reader.lines().forEach(lines::add);
    } catch (IOException | UncheckedIOException e) {
      lines.add(ENDED + " (" + e + ")");
    } finally {
      lines.add(ENDED);
    }
  }

  /** Returns the time of its start, by {@link System#nanoTime}. */
  long startedNanos() {
    return startedNanos;
  }

  /** Waits for a line that contains this text. */
  String await(String part, Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      String line = lines.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
      if (line == null || line.startsWith(ENDED)) {
        throw new HoldfastException(
            (line == null ? "nothing was heard in " + atMost.toSeconds() + " s" : line)
                + " while waiting for \""
                + part
                + "\" from a child process; its messages are above");
      }
      if (line.contains(part)) {
        return line;
      }
    }
  }

  void say(String line) {
    try {
      toIt.write(line + "\n");
      toIt.flush();
    } catch (IOException e) {
      throw new HoldfastException("a child process does not listen any more (" + e + ")", e);
    }
  }

  /** Returns the most memory that it has had resident; 0 if the system does not say. */
  long peakResidentMegabytes() {
    return MachineFacts.kilobytes(Path.of("/proc/" + process.pid() + "/status"), "VmHWM") >> 10;
  }

  @Override
  public void close() {
    process.destroy();
    try {
      if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
