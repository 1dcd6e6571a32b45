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
 * Starts programs where this machine has room for them, and tells a machine without room from what
 * is wrong with a program. What it keeps is of the whole process, as files and threads are.
 */
final class ProgramStart {
  /** EAGAIN, ENOMEM, ENFILE, EMFILE; Java has the number in the message alone. */
  private static final Pattern NO_PROCESS = Pattern.compile("\\berror[=:] ?(?:11|12|23|24)\\b");

  /** Java starts programs by one of its own files; an update of Java puts another in its place. */
  private static final Pattern NO_HELPER = Pattern.compile("posix_spawn failed|spawn helper");

  /** Three streams, the ends of two pipes, and some for what is opened beside it. */
  private static final int FILES_OF_START = 16;

  /** The process, and the thread that waits for it. */
  private static final int THREADS_OF_START = 2;

  static final long THREADS_LAST_NANOS = 50_000_000;

  /** When there was room for them last, by {@link System#nanoTime}. */
  private static final AtomicLong THREADS_SEEN =
      new AtomicLong(System.nanoTime() - THREADS_LAST_NANOS);

  private ProgramStart() {}

  /**
   * Starts it on this thread, which is to be one of {@link StartThreads}.
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
   * Java starts a program before it starts the thread that waits for the program's end: without
   * room for both, the program would run and nobody know of it. A process takes the room of a
   * thread. A start believes what another one has just seen: to look each time would take a tenth
   * of a short program's time.
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
   * Java 25 leaves a pipe open where it gets one for a program and not the next: with each try
   * there would be fewer left.
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

  /** Java could not open the program's streams; a program that is missing fails in another way. */
  private static boolean isOfStreams(IOException e) {
    return e.getCause() instanceof FileNotFoundException;
  }
}
