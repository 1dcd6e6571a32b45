package dev.holdfast.tool.mcp;

import java.io.IOException;
import java.io.Reader;
import org.jspecify.annotations.Nullable;

/** Reads messages, one a line, in bounded memory. */
record MessageLines(Reader reader, int max) {
  /**
   * Returns the next line; null at the end.
   *
   * @throws IOException if a line is too long, for then nobody knows where the next one begins
   */
  @Nullable String next() throws IOException {
    StringBuilder line = new StringBuilder();
    int c = reader.read();
    if (c < 0) {
      return null;
    }
    for (; c >= 0 && c != '\n'; c = reader.read()) {
      if (line.length() == max) {
        throw new IOException("its message is longer than " + max + " characters");
      }
      line.append((char) c);
    }
    return line.toString();
  }
}
