package dev.holdfast.cli.mcp;

import dev.holdfast.cli.output.Terminal;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;

/**
 * A terminal as the bytes of a protocol of lines.
 *
 * @param onEnd called when there is no more input
 */
record McpStreams(Terminal terminal, Runnable onEnd) {

  InputStream input() {
    return new FilterInputStream(terminal.in()) {
      @Override
      public int read() throws IOException {
        return seen(super.read());
      }

      @Override
      public int read(byte[] bytes, int from, int count) throws IOException {
        return seen(super.read(bytes, from, count));
      }

      private int seen(int result) {
        if (result < 0) {
          onEnd.run();
        }
        return result;
      }
    };
  }

  OutputStream output() {
    return new LineStream(terminal.out());
  }

  /** Hands on whole lines, so that no character is torn apart. */
  private static final class LineStream extends OutputStream {
    private final PrintWriter out;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    LineStream(PrintWriter out) {
      this.out = out;
    }

    @Override
    public synchronized void write(int each) {
      line.write(each);
      if (each == '\n') {
        out.print(line.toString(StandardCharsets.UTF_8));
        out.flush();
        line.reset();
      }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int count) {
      for (int i = from; i < from + count; i++) {
        write(bytes[i]);
      }
    }
  }
}
