package dev.holdfast.process;

import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Pattern;

/**
 * Starts programs where this machine has room for them. Distinguishes a machine without room from a
 * fault of a program. Its state belongs to the whole process, as files and threads do.
 */
final class ProgramStart {
  /** The errors EAGAIN, ENOMEM, ENFILE and EMFILE; Java gives the number only in the message. */
  private static final Pattern NO_PROCESS = Pattern.compile("\\berror[=:] ?(?:11|12|23|24)\\b");

  /**
   * The words for a missing helper. Java starts programs with one of its own files, and an update
   * of Java replaces it.
   */
  private static final Pattern NO_HELPER = Pattern.compile("posix_spawn failed|spawn helper");

  /**
   * The files of a start: three streams, the ends of two pipes, and some for others opened
   * meanwhile.
   */
  private static final int FILES_OF_START = 16;

  /**
   * The threads of a start: the process, the thread that waits for it, and three that Java and the
   * worker need at a signal. Without those nothing is drained.
   */
  private static final int THREADS_OF_START = 5;

  static final long THREADS_LAST_NANOS = 50_000_000;

  /** The last time that there was room for the threads, by {@link System#nanoTime}. */
  private static final AtomicLong THREADS_SEEN =
      new AtomicLong(System.nanoTime() - THREADS_LAST_NANOS);

  private ProgramStart() {}

  /**
   * Starts a program on this thread, which must be one of {@link StartThreads}.
   *
   * @throws NotPreparedException if this machine has no room for any program; then none runs
   * @throws IOException if it cannot be started
   */
  static Process of(OwnSession session) throws IOException {
    requireFiles();
    requireThreads();
    try {
      return session.builder().start();
    } catch (IOException e) {
      throw failure(e, session);
    } catch (OutOfMemoryError e) { // of threads
      THREADS_SEEN.set(System.nanoTime() - THREADS_LAST_NANOS);
      UnheardProgram.end(session);
      throw MachineLimits.noProcesses(e);
    }
  }

  private static IOException failure(IOException e, OwnSession session) {
    String message = String.valueOf(e.getMessage());
    if (NO_PROCESS.matcher(message).find() || isOfStreams(e)) {
      throw MachineLimits.noProcesses(e);
    }
    if (NO_HELPER.matcher(message).find()) {
      throw MachineLimits.noHelper(e);
    }
    return TextTooLongException.orSame(e, session.builder());
  }

  /**
   * Requires room for the threads. Java starts a program before it starts the thread that waits for
   * the program's end: without room for both, the program would run and nobody would know of it. A
   * process takes the room of a thread. A start relies on what another one has just seen, because
   * looking each time would take a tenth of a short program's time.
   */
  private static void requireThreads() {
    if (System.nanoTime() - THREADS_SEEN.get() < THREADS_LAST_NANOS) {
      return;
    }
    Semaphore seen = new Semaphore(0);
    try {
      for (int i = 0; i < THREADS_OF_START; i++) {
        Thread.ofPlatform().name("holdfast-room").start(seen::acquireUninterruptibly);
      }
      THREADS_SEEN.set(System.nanoTime());
    } catch (OutOfMemoryError e) {
      throw MachineLimits.noProcesses(e);
    } finally {
      seen.release(THREADS_OF_START);
    }
  }

  /**
   * Requires room for the files. Java 25 leaves a pipe open where it gets one for a program and not
   * the next one, so each try would leave fewer.
   */
  private static void requireFiles() throws IOException {
    Deque<FileInputStream> files = new ArrayDeque<>();
    try {
      while (files.size() < FILES_OF_START) {
        files.add(new FileInputStream("/dev/null"));
      }
    } catch (FileNotFoundException e) {
      throw MachineLimits.noProcesses(e);
    } finally {
      for (FileInputStream each : files) {
        each.close();
      }
    }
  }

  /** True if Java could not open the program's streams; a missing program fails in another way. */
  private static boolean isOfStreams(IOException e) {
    return e.getCause() instanceof FileNotFoundException;
  }
}
