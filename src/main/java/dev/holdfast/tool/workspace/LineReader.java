package dev.holdfast.tool.workspace;

import java.io.BufferedReader;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.Channels;
import java.nio.channels.SeekableByteChannel;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** Reads the lines of a file in bounded memory, however long its lines are. */
final class LineReader implements Closeable {
  private static final int SNIFFED = 8 * 1024;
  private static final int SHOWN = 16;
  private static final int CHECK_EVERY = 64 * 1024;

  private final BufferedReader reader;
  private final int maxLine;
  private final Runnable check;
  private int reads;
  private boolean cut;
  private int pending = -1;

  /**
   * @param maxLine how many characters of a line are kept
   * @param check asked now and then, within a line too; what it throws ends the reading
   */
  LineReader(SeekableByteChannel channel, int maxLine, Runnable check) {
    this.reader =
        new BufferedReader(
            Channels.newReader(
                channel,
                StandardCharsets.UTF_8
                    .newDecoder()
                    .onMalformedInput(CodingErrorAction.REPLACE)
                    .onUnmappableCharacter(CodingErrorAction.REPLACE),
                -1));
    this.maxLine = maxLine;
    this.check = check;
  }

  /**
   * Returns the first bytes, 16 at most, of a file that is not text; otherwise null. A NUL in its
   * first 8 KiB shows that it is not text. The channel is at its start again.
   */
  static byte @Nullable [] binaryStart(SeekableByteChannel channel) throws IOException {
    ByteBuffer start = ByteBuffer.allocate(SNIFFED);
    while (start.hasRemaining() && channel.read(start) >= 0) {
      // One read may return less than there is.
    }
    channel.position(0);
    for (int i = 0; i < start.position(); i++) {
      if (start.get(i) == 0) {
        return Arrays.copyOf(start.array(), Math.min(SHOWN, start.position()));
      }
    }
    return null;
  }

  /** Returns the next line without its end; null after the last. */
  @Nullable String next() throws IOException {
    StringBuilder line = new StringBuilder();
    cut = false;
    int c = pending >= 0 ? pending : reader.read();
    pending = -1;
    if (c < 0) {
      return null;
    }
    for (; c >= 0 && c != '\n'; c = reader.read()) {
      if (++reads % CHECK_EVERY == 0) {
        check.run();
      }
      if (line.length() < maxLine) {
        line.append((char) c);
      } else {
        cut = true;
      }
    }
    if (!cut && !line.isEmpty() && line.charAt(line.length() - 1) == '\r') {
      line.setLength(line.length() - 1);
    }
    return line.toString();
  }

  /** True if the last line was longer than what is kept of it. */
  boolean wasCut() {
    return cut;
  }

  /** True if there is no other line. */
  boolean isAtEnd() throws IOException {
    if (pending < 0) {
      pending = reader.read();
    }
    return pending < 0;
  }

  @Override
  public void close() throws IOException {
    reader.close();
  }
}
