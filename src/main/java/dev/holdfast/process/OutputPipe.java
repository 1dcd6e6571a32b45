package dev.holdfast.process;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;

/**
 * One output of a program, as a named pipe. Java's own pipes are not enough. They are closed the
 * moment the program ends, and what its children still print is lost. And a read from them cannot
 * be ended as long as any process holds the other end.
 *
 * <p>A platform thread reads it. A virtual one that waits for a pipe keeps its carrier, so that
 * about 130 quiet programs would stop every virtual thread of the worker.
 */
final class OutputPipe implements Closeable {
  private final FileChannel channel;
  private final FileChannel keeper;
  private final Thread reader;

  /** Opens both ends, so that neither waits for the other. */
  OutputPipe(Path fifo, OutputTail tail) throws IOException {
    keeper = FileChannel.open(fifo, StandardOpenOption.READ, StandardOpenOption.WRITE);
    channel = endBeside(keeper, fifo);
    reader =
        Thread.ofPlatform()
            .daemon()
            .name("holdfast-" + fifo.getFileName())
            .unstarted(() -> tail.drain(Channels.newInputStream(channel)));
  }

  private static FileChannel endBeside(FileChannel keeper, Path fifo) throws IOException {
    try {
      return FileChannel.open(fifo, StandardOpenOption.READ);
    } catch (IOException e) {
      // Where no more files can be opened, each one that stays open makes it worse.
      keeper.close();
      throw e;
    }
  }

  /** Starts to read. */
  void read() {
    reader.start();
  }

  /**
   * Must be called once the program has its end of the pipe. From then on the output ends when the
   * last process closes it.
   */
  void handedOver() throws IOException {
    keeper.close();
  }

  /** Waits for the end of the output, until {@link System#nanoTime} reaches the deadline. */
  void awaitEnd(long deadline) throws InterruptedException {
    reader.join(Duration.ofNanos(Math.max(1, deadline - System.nanoTime())));
  }

  /** Stops reading, even if a process still holds the other end. */
  @Override
  public void close() throws IOException {
    keeper.close();
    channel.close();
  }
}
