package dev.holdfast.llm.wire;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Bounds a single line of an event stream, which the SDK would read into memory whole. */
final class BodyWatch extends FilterInputStream {
  private static final int BYTES_PER_CHAR = 4;
  private static final int FRAME = 64 * 1024;

  private final int maxChars;
  private final long maxLine;
  private long line;

  BodyWatch(InputStream in, int maxChars) {
    super(in);
    this.maxChars = maxChars;
    this.maxLine = (long) maxChars * BYTES_PER_CHAR + FRAME;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    int count = read(one, 0, 1);
    return count < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] buffer, int offset, int length) throws IOException {
    int count = super.read(buffer, offset, length);
    for (int i = offset; i < offset + count; i++) {
      line = buffer[i] == '\n' ? 0 : line + 1;
    }
    if (line > maxLine) {
      throw new AnswerTooLongException(maxChars);
    }
    return count;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
