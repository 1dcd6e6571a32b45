package dev.holdfast.process;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The standard streams of a program. Its input comes from a file, so no thread has to write, and a
 * program that does not read it breaks nothing. The file and the names of the pipes are gone once
 * the program has started.
 */
final class ProgramStreams implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(ProgramStreams.class);

  private static final Set<PosixFilePermission> EVERYBODY =
      PosixFilePermissions.fromString("rw-rw-rw-");

  private final List<OutputPipe> pipes = new ArrayList<>();
  private final OutputTail stdout;
  private final OutputTail stderr;
  private final boolean merged;

  ProgramStreams(OutputLimits limits) {
    this.stdout = new OutputTail(limits.head(), limits.stdout());
    this.stderr = new OutputTail(limits.head(), limits.stderr());
    this.merged = limits.merged();
  }

  /**
   * Starts the program on these streams.
   *
   * @throws NotPreparedException if this machine has no room for any program
   * @throws IOException if it cannot be started; to be closed then, too
   */
  Process start(OwnSession session, String input) throws IOException {
    return StartThreads.run(() -> startNow(session, input));
  }

  private Process startNow(OwnSession session, String input) throws IOException {
    Path directory = MachineLimits.temporaryDirectory(TemporaryPlace.STREAMS);
    Path stdin = directory.resolve("stdin");
    Path out = directory.resolve("stdout");
    Path err = directory.resolve("stderr");
    try {
      prepare(session, input, stdin, out, err);
      redirect(session.builder(), stdin, out, err);
      Process process = ProgramStart.of(session);
      for (OutputPipe pipe : pipes) {
        pipe.handedOver();
      }
      return process;
    } finally {
      for (Path path : List.of(stdin, out, err, directory)) {
        Files.deleteIfExists(path);
      }
    }
  }

  private void prepare(OwnSession session, String input, Path stdin, Path out, Path err) {
    try {
      // Half a character, as models write, must not make this machine count as unfit.
      Files.write(stdin, input.getBytes(StandardCharsets.UTF_8));
      NamedPipes.make(out, err);
      if (session.user().isPresent()) {
        open(stdin, out, err);
      }
      pipes.add(new OutputPipe(out, stdout));
      pipes.add(new OutputPipe(err, stderr));
      pipes.forEach(OutputPipe::read);
    } catch (IOException e) {
      throw MachineLimits.noStreams(e);
    } catch (OutOfMemoryError e) { // of threads
      throw MachineLimits.noProcesses(e);
    }
  }

  private void redirect(ProcessBuilder builder, Path stdin, Path out, Path err) {
    builder
        .redirectInput(stdin.toFile())
        .redirectOutput(out.toFile())
        .redirectErrorStream(merged)
        .redirectError(err.toFile());
  }

  /**
   * Opens the streams to everybody. Another user's program has them, but opens them once more where
   * it writes to /dev/stderr or reads /dev/stdin. Nobody reaches them by their names, because their
   * directory is closed.
   */
  private static void open(Path... streams) throws IOException {
    for (Path stream : streams) {
      Files.setPosixFilePermissions(stream, EVERYBODY);
    }
  }

  OutputTail stdout() {
    return stdout;
  }

  OutputTail stderr() {
    return stderr;
  }

  /**
   * Waits for a limited time, because a process that got out of reach may hold the pipes as long as
   * it likes.
   */
  void awaitEnd(Duration atMost) throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    for (OutputPipe pipe : pipes) {
      pipe.awaitEnd(deadline);
    }
  }

  @Override
  public void close() {
    for (OutputPipe pipe : pipes) {
      try {
        pipe.close();
      } catch (IOException e) {
        log.debug("A program's pipe could not be closed", e);
      }
    }
  }
}
