package dev.holdfast.process;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;

/** One run of a program, from its start to the end of its last process. Used by one thread. */
public final class ProgramRun implements AutoCloseable {
  /**
   * The variable that marks every process of a run, so that those which left its session are found
   * too.
   */
  public static final String RUN_ID = "HOLDFAST_RUN_ID";

  /** The time that the end of the output may take to arrive, once the program has ended. */
  private static final Duration LAST_OUTPUT = Duration.ofSeconds(1);

  private final ProgramStreams streams;
  private final Process process;
  private final ProcessTree tree;

  private ProgramRun(ProgramStreams streams, Process process, ProcessTree tree) {
    this.streams = streams;
    this.process = process;
    this.tree = tree;
  }

  /** Returns a value of {@link #RUN_ID} for one more run; it says which worker's run that is. */
  public static String newId() {
    return RunId.next();
  }

  /**
   * @param environment all of the program's environment, {@link #RUN_ID} with a value of its own
   *     among it
   * @param input what it reads on stdin
   * @throws IOException if it cannot be started
   * @throws NotPreparedException if this machine has no room for any program
   */
  public static ProgramRun start(
      List<String> command,
      Path directory,
      Map<String, String> environment,
      String input,
      OutputLimits limits)
      throws IOException {
    return start(OwnSession.of(command, directory, environment), input, limits);
  }

  /**
   * @param input what it reads on stdin
   * @throws IOException if it cannot be started
   * @throws NotPreparedException if this machine has no room for any program
   */
  public static ProgramRun start(OwnSession session, String input, OutputLimits limits)
      throws IOException {
    ProgramStreams streams = new ProgramStreams(limits);
    try {
      Process process = streams.start(session, input);
      return new ProgramRun(streams, process, session.tree(process));
    } catch (IOException | NotPreparedException e) {
      streams.close();
      throw e;
    }
  }

  /**
   * Waits for the program, then ends whatever it left running.
   *
   * @throws InterruptedException if the thread was interrupted; the program is gone then too
   */
  public ProgramEnd await(Duration timeout, Duration killGrace) throws InterruptedException {
    return await(timeout, killGrace, tree::stop);
  }

  /**
   * Waits for a program that is known to leave nothing running. If something is still in its
   * process group, what it left is ended; a process that left the group is not searched.
   *
   * @throws InterruptedException if the thread was interrupted; the program is gone then too
   */
  public ProgramEnd awaitTidy(Duration timeout, Duration killGrace) throws InterruptedException {
    return await(timeout, killGrace, tree::stopUnlessGone);
  }

  private ProgramEnd await(Duration timeout, Duration killGrace, Consumer<Duration> stop)
      throws InterruptedException {
    try {
      boolean exited = process.waitFor(timeout);
      if (exited) {
        streams.awaitEnd(LAST_OUTPUT);
      }
      stop.accept(killGrace);
      streams.awaitEnd(LAST_OUTPUT);
      return exited ? new ProgramEnd.Exited(process.exitValue()) : new ProgramEnd.TimedOut(timeout);
    } catch (InterruptedException e) {
      tree.stop(killGrace);
      throw e;
    }
  }

  public OutputTail stdout() {
    return streams.stdout();
  }

  /** The end of stderr; empty where both outputs are one. */
  public OutputTail stderr() {
    return streams.stderr();
  }

  @Override
  public void close() {
    streams.close();
  }
}
