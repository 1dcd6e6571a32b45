package dev.holdfast.process;

import java.io.Closeable;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * One output of a program, as a named pipe. Java's own pipes to a program do not do: the moment the
 * program ends they are closed, and what its children still print is lost; and a read from them
 * cannot be ended as long as anybody holds the other end.
 *
 * <p>Read by a platform thread: a virtual one that waits for a pipe keeps its carrier, so that
 * about 130 quiet programs would stop every virtual thread of the worker.
 */
final class OutputPipe implements Closeable {
  private static final int OWNER_ONLY = 0600;

  /** How Java itself writes the names of files. */
  private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));

  /** Called in this process: a program that does it would take longer than many a command. */
  private static final MethodHandle MKFIFO = mkfifo();

  private final FileChannel channel;
  private final FileChannel keeper;
  private final Thread reader;

  /** Opens both ends, so that neither waits for the other, and starts to read. */
  OutputPipe(Path fifo, OutputTail tail) throws IOException {
    keeper = FileChannel.open(fifo, StandardOpenOption.READ, StandardOpenOption.WRITE);
    channel = FileChannel.open(fifo, StandardOpenOption.READ);
    reader =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-" + fifo.getFileName())
            .start(() -> tail.drain(Channels.newInputStream(channel)));
  }

  /**
   * Makes a named pipe that nobody else may open.
   *
   * @throws IOException if the system cannot
   */
  static void make(Path fifo) throws IOException {
    byte[] name = fifo.toString().getBytes(NAMES);
    try (Arena arena = Arena.ofConfined()) {
      MemorySegment failure = arena.allocate(Linker.Option.captureStateLayout());
      MemorySegment path = arena.allocate(name.length + 1L);
      path.copyFrom(MemorySegment.ofArray(name));
      if (call(failure, path) != 0) {
        int number = failure.get(ValueLayout.JAVA_INT, 0);
        throw new IOException(
            "cannot make a pipe in "
                + fifo.getParent()
                + " (errno "
                + number
                + "): is the disk full?");
      }
    }
  }

  /** C throws nothing; an error of the JVM is nobody's to swallow. */
  private static int call(MemorySegment failure, MemorySegment path) throws IOException {
    try {
      return (int) MKFIFO.invokeExact(failure, path, OWNER_ONLY);
    } catch (RuntimeException | Error e) {
      throw e;
    } catch (Throwable e) { // what a method handle declares
      throw new IOException("mkfifo was not called", e);
    }
  }

  @SuppressWarnings("restricted") // as declared in mkfifo's manual
  private static MethodHandle mkfifo() {
    Linker linker = Linker.nativeLinker();
    return linker.downcallHandle(
        linker.defaultLookup().findOrThrow("mkfifo"),
        FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.ADDRESS, ValueLayout.JAVA_INT),
        Linker.Option.captureCallState("errno"));
  }

  /**
   * To be called when the program has its end: from then on the output ends when the last process
   * lets go of it.
   */
  void handedOver() throws IOException {
    keeper.close();
  }

  /** Waits for the end of the output, until {@link System#nanoTime} reaches the deadline. */
  void awaitEnd(long deadline) throws InterruptedException {
    reader.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
  }

  /** Stops reading, whoever may still hold the other end. */
  @Override
  public void close() throws IOException {
    keeper.close();
    channel.close();
  }
}
