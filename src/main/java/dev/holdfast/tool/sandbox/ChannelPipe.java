package dev.holdfast.tool.sandbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;

/** Passes the data of a connection from each side to the other, until it ends. */
final class ChannelPipe {
  private static final int BUFFER = 16 * 1024;

  /** The time that a server may be silent to a program that has ended its own side. */
  static final Duration SILENCE = Duration.ofMinutes(2);

  private ChannelPipe() {}

  /**
   * Joins two channels. Returns when both have ended, one has broken, or nothing has come from the
   * other one for some time after the end of the first: an ended program looks like one that still
   * listens. Closes them only where that took too long.
   */
  static void join(SocketChannel one, SocketChannel other, Duration silence) {
    AtomicLong passed = new AtomicLong();
    Thread back = Thread.ofVirtual().start(() -> copy(other, one, passed));
    copy(one, other, new AtomicLong());
    try {
      long before = -1;
      while (passed.get() != before) {
        before = passed.get();
        if (back.join(silence)) {
          return;
        }
      }
      close(one);
      close(other);
      back.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(SocketChannel from, SocketChannel to, AtomicLong passed) {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    try {
      while (from.read(buffer) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          passed.addAndGet(to.write(buffer));
        }
        buffer.clear();
      }
      to.shutdownOutput();
    } catch (IOException e) {
      close(from);
      close(to);
    }
  }

  static void close(SocketChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      // It is not used any more, which was the aim.
      return;
    }
  }
}
