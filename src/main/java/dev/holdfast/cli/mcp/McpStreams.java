package dev.holdfast.cli.mcp;

import dev.holdfast.cli.output.Terminal;
import io.modelcontextprotocol.json.McpJsonDefaults;
import io.modelcontextprotocol.json.McpJsonMapper;
import io.modelcontextprotocol.spec.McpSchema;
import io.modelcontextprotocol.spec.McpSchema.ErrorCodes;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/**
 * A terminal as the bytes of a protocol of lines.
 *
 * @param onEnd called when there is no more input
 */
record McpStreams(Terminal terminal, Runnable onEnd) {
  /** As many as the SDK reads. */
  private static final int LONGEST_LINE = 16 << 20;

  private static final McpJsonMapper JSON = McpJsonDefaults.getMapper();

  InputStream input() {
    return new MessageStream();
  }

  OutputStream output() {
    return new LineStream(terminal.out());
  }

  /**
   * Hands on lines that are messages. The others it answers itself: the SDK would leave its loop at
   * the first of them, without a word.
   */
  private final class MessageStream extends InputStream {
    private final InputStream in = new BufferedInputStream(terminal.in());
    private byte[] line = {};
    private int position;

    @Override
    public int read() throws IOException {
      return hasMessage() ? line[position++] & 0xff : -1;
    }

    @Override
    public int read(byte[] bytes, int from, int count) throws IOException {
      if (!hasMessage()) {
        return -1;
      }
      int copied = Math.min(count, line.length - position);
      System.arraycopy(line, position, bytes, from, copied);
      position += copied;
      return copied;
    }

    private boolean hasMessage() throws IOException {
      while (position == line.length) {
        String text = nextLine();
        if (text == null) {
          onEnd.run();
          return false;
        }
        if (isMessage(text)) {
          line = (text + '\n').getBytes(StandardCharsets.UTF_8);
          position = 0;
        }
      }
      return true;
    }

    /** Null at the end; empty for a line that is too long, which is answered. */
    private @Nullable String nextLine() throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int each = in.read();
      if (each < 0) {
        return null;
      }
      boolean isTooLong = false;
      while (each >= 0 && each != '\n') {
        if (bytes.size() < LONGEST_LINE) {
          // To the SDK a carriage return ends a line; in JSON it is a space.
          bytes.write(each == '\r' ? ' ' : each);
        } else {
          isTooLong = true;
        }
        each = in.read();
      }
      if (isTooLong) {
        refuse(ErrorCodes.INVALID_REQUEST, "a message has at most " + LONGEST_LINE + " bytes");
        return "";
      }
      return bytes.toString(StandardCharsets.UTF_8);
    }
  }

  private boolean isMessage(String text) {
    if (text.isBlank()) {
      return false;
    }
    try {
      JSON.readValue(text, Object.class);
    } catch (IOException | RuntimeException e) {
      refuse(ErrorCodes.PARSE_ERROR, "this line is no JSON");
      return false;
    }
    try {
      McpSchema.deserializeJsonRpcMessage(JSON, text);
      return true;
    } catch (IOException | RuntimeException e) {
      refuse(ErrorCodes.INVALID_REQUEST, "this line is no message of JSON-RPC");
      return false;
    }
  }

  /** In one piece, so that it stands before or after a message of the SDK, never within. */
  private void refuse(int code, String words) {
    terminal
        .out()
        .print(
            "{\"jsonrpc\":\"2.0\",\"id\":null,\"error\":{\"code\":"
                + code
                + ",\"message\":\""
                + words
                + "\"}}\n");
    terminal.out().flush();
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
