package dev.holdfast.handler.command;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** One run of a program, from its start to the end of its last process. Used by one thread. */
final class ProgramRun implements AutoCloseable {
  /** Enough for a result on the last line. */
  static final int STDOUT_LIMIT = 1 << 20;

  static final int STDERR_LIMIT = 64 * 1024;

  /** How long the end of the output may take to arrive once the program has ended. */
  private static final Duration LAST_OUTPUT = Duration.ofSeconds(1);

  /** Runs a program, in the same process, as the leader of a new session. */
  private static final List<String> SETSID = List.of("/usr/bin/setsid", "/bin/setsid");

  private final ProgramStreams streams;
  private final Process process;
  private final ProcessTree tree;

  private ProgramRun(ProgramStreams streams, Process process, ProcessTree tree) {
    this.streams = streams;
    this.process = process;
    this.tree = tree;
  }

  /**
   * @param environment all of the program's environment
   * @param input what it reads on stdin
   * @throws IOException if it cannot be started
   */
  static ProgramRun start(
      List<String> command, Path directory, Map<String, String> environment, String input)
      throws IOException {
    ProgramFinder.check(command.getFirst(), directory, environment.get("PATH"));
    PassableText.check(command, environment, PassableText.ofThisProcess());
    Optional<String> setsid =
        SETSID.stream().filter(each -> Files.isExecutable(Path.of(each))).findFirst();
    List<String> words = new ArrayList<>(command);
    setsid.ifPresent(words::addFirst);
    ProcessBuilder builder = new ProcessBuilder(words).directory(directory.toFile());
    builder.environment().clear();
    builder.environment().putAll(environment);
    ProgramStreams streams = new ProgramStreams();
    try {
      Process process = streams.start(builder, input);
      String runId = environment.getOrDefault(ProgramEnvironment.RUN_ID, "");
      return new ProgramRun(streams, process, new ProcessTree(process, runId, setsid.isPresent()));
    } catch (IOException e) {
      streams.close();
      throw e;
    }
  }

  /**
   * Waits for the program, then ends whatever it left running.
   *
   * @throws InterruptedException if the thread was interrupted; the program is gone then too
   */
  ProgramEnd await(Duration timeout, Duration killGrace) throws InterruptedException {
    try {
      boolean exited = process.waitFor(timeout);
      if (exited) {
        streams.awaitEnd(LAST_OUTPUT);
      }
      tree.stop(killGrace);
      streams.awaitEnd(LAST_OUTPUT);
      return exited ? new ProgramEnd.Exited(process.exitValue()) : new ProgramEnd.TimedOut(timeout);
    } catch (InterruptedException e) {
      tree.stop(killGrace);
      throw e;
    }
  }

  OutputTail stdout() {
    return streams.stdout();
  }

  OutputTail stderr() {
    return streams.stderr();
  }

  @Override
  public void close() {
    streams.close();
  }
}
