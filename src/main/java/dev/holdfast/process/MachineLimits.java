package dev.holdfast.process;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.FileInputStream;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.regex.Pattern;

/**
 * Takes what a program needs of this machine, and tells a machine that has no room for any program
 * from what is wrong with one.
 */
public final class MachineLimits {
  /** EAGAIN, ENOMEM, ENFILE, EMFILE; Java has the number in the message alone. */
  private static final Pattern NO_PROCESS = Pattern.compile("\\berror[=:] ?(?:11|12|23|24)\\b");

  /** Java starts programs by one of its own files; an update of Java puts another in its place. */
  private static final Pattern NO_HELPER = Pattern.compile("posix_spawn failed|spawn helper");

  /** Three streams, the ends of two pipes, and some for what is opened beside it. */
  private static final int FILES_OF_START = 16;

  private static final long PLENTY_OF_FILES = 4_096;

  private static final ReentrantLock TURN = new ReentrantLock();
  private static final long LONGEST_START_SECONDS = 5;

  /** The process, and the thread that waits for it. */
  private static final int THREADS_OF_START = 2;

  static final long THREADS_LAST_NANOS = 50_000_000;
  private static final AtomicLong THREADS_SEEN =
      new AtomicLong(System.nanoTime() - THREADS_LAST_NANOS);

  private MachineLimits() {}

  /**
   * @throws OutOfMemoryError if there is no thread that waits for the program: it may run all the
   *     same
   */
  static Process start(ProcessBuilder builder) throws IOException {
    return inTurn(() -> startNow(builder));
  }

  /** The start of a program, or all that has to be done for it. */
  @FunctionalInterface
  interface Start {
    Process run() throws IOException;
  }

  /**
   * Where there may be too few files for all, does one after the other: one that runs out of files
   * beside another makes Java 25 close files that are not its own, which may be a connection by
   * then.
   */
  static Process inTurn(Start start) throws IOException {
    boolean turn = mayRunOutOfFiles() && awaitTurn();
    try {
      return start.run();
    } finally {
      if (turn) {
        TURN.unlock();
      }
    }
  }

  private static boolean mayRunOutOfFiles() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        && unix.getMaxFileDescriptorCount() < PLENTY_OF_FILES;
  }

  /** Not for ever: a start may hang, as in a directory whose server has gone. */
  private static boolean awaitTurn() {
    try {
      return TURN.tryLock(LONGEST_START_SECONDS, TimeUnit.SECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }

  private static Process startNow(ProcessBuilder builder) throws IOException {
    requireFiles();
    requireThreads();
    try {
      return builder.start();
    } catch (IOException e) {
      if (NO_PROCESS.matcher(String.valueOf(e.getMessage())).find() || isOfStreams(e)) {
        throw noProcesses(e);
      }
      if (NO_HELPER.matcher(String.valueOf(e.getMessage())).find()) {
        throw noHelper(e);
      }
      throw TextTooLongException.orSame(e, builder);
    } catch (OutOfMemoryError e) {
      THREADS_SEEN.set(System.nanoTime() - THREADS_LAST_NANOS);
      throw e;
    }
  }

  /**
   * Java starts a program before it starts the thread that waits for the program's end: without
   * room for both, the program would run and nobody know of it. A process takes the room of a
   * thread. Where programs are started one upon the other not each looks, which would take a tenth
   * of a short one's time.
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
      throw noProcesses(e);
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
      throw noProcesses(e);
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

  private static NotPreparedException noHelper(IOException cause) {
    return new NotPreparedException(
        "this worker's Java cannot start programs any more ("
            + String.valueOf(cause.getMessage()).lines().findFirst().orElse("")
            + "): start the worker again, as after an update of Java in its place",
        cause);
  }

  /** What to throw where a process or a thread found no room. */
  public static NotPreparedException noProcesses(Throwable cause) {
    return new NotPreparedException(
        "no more programs can be started on this machine ("
            + cause.getMessage()
            + "): raise the worker's limits of processes and open files (ulimit -u, -n, pids.max),"
            + " or lower its concurrency",
        cause);
  }

  /**
   * A new directory for a program that is to be started.
   *
   * @throws NotPreparedException if this machine has no room for it
   */
  public static Path temporaryDirectory(String prefix) {
    try {
      return Files.createTempDirectory(prefix);
    } catch (IOException e) {
      throw noStreams(e);
    }
  }

  /**
   * A new directory for a ticket in a place of the worker's own, which is made where it is missing.
   *
   * @throws NotPreparedException if this machine has no room for it, though the place is as a
   *     person has to make it
   * @throws IOException if it is not
   */
  public static Path directoryIn(Path place, String prefix) throws IOException {
    try {
      Files.createDirectories(place);
      return Files.createTempDirectory(place, prefix);
    } catch (IOException e) {
      if (Files.isDirectory(place) && Files.isWritable(place)) {
        throw new NotPreparedException(
            "no directory can be made in " + place + " (" + why(e) + "): make room there", e);
      }
      throw e;
    }
  }

  static NotPreparedException noStreams(IOException cause) {
    return new NotPreparedException(
        "no program can be prepared in "
            + System.getProperty("java.io.tmpdir")
            + " ("
            + why(cause)
            + "): make room there, raise the limit of open files (ulimit -n), or start the worker"
            + " with another TMPDIR",
        cause);
  }

  /** The message of Java is often only the path. */
  private static String why(IOException e) {
    if (e instanceof FileSystemException file) {
      return Objects.requireNonNullElse(file.getReason(), e.getClass().getSimpleName());
    }
    return String.valueOf(e.getMessage());
  }
}
