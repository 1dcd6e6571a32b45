package dev.holdfast.tool.sandbox;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/** Passes on what comes from one side of a connection to the other, both ways, to its end. */
final class ChannelPipe {
  private static final int BUFFER = 16 * 1024;

  private ChannelPipe() {}

  /** Returns when both have ended, or one has broken; closes neither. */
  static void join(SocketChannel one, SocketChannel other) {
    Thread back = Thread.ofVirtual().start(() -> copy(other, one));
    copy(one, other);
    try {
      back.join();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void copy(SocketChannel from, SocketChannel to) {
    ByteBuffer buffer = ByteBuffer.allocate(BUFFER);
    try {
      while (from.read(buffer) >= 0) {
        buffer.flip();
        while (buffer.hasRemaining()) {
          to.write(buffer);
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
      // It is of no use any more, which was the aim.
      return;
    }
  }
}
