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
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * A terminal as the bytes of a line protocol. For the SDK, its input ends only when all requests
 * are answered, because at the end the SDK drops what it is working on.
 */
final class McpStreams {
  /** The longest line; the SDK reads no more. */
  private static final int LONGEST_LINE = 16 << 20;

  private static final int SECONDS_FOR_ANSWERS = 30;

  private static final McpJsonMapper JSON = McpJsonDefaults.getMapper();

  private final Terminal terminal;
  private final IntConsumer onEnd;
  private final Semaphore answers = new Semaphore(0);

  /** The number of requests given to the SDK; for the thread that reads. */
  private int requests;

  /**
   * @param onEnd called when there is no more input, with how many requests have no answer
   */
  McpStreams(Terminal terminal, IntConsumer onEnd) {
    this.terminal = terminal;
    this.onEnd = onEnd;
  }

  InputStream input() {
    return new MessageStream();
  }

  OutputStream output() {
    return new LineStream();
  }

  /**
   * Passes on lines that are messages, and answers the others itself: the SDK would leave its loop
   * at the first of them, without a word.
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
          onEnd.accept(unanswered());
          return false;
        }
        if (isMessage(text)) {
          line = (text + '\n').getBytes(StandardCharsets.UTF_8);
          position = 0;
        }
      }
      return true;
    }

    /**
     * Returns the next line; null at the end; empty for a line that is too long, which it has
     * answered.
     */
    private @Nullable String nextLine() throws IOException {
      ByteArrayOutputStream bytes = new ByteArrayOutputStream();
      int each = in.read();
      if (each < 0) {
        return null;
      }
      boolean isTooLong = false;
      while (each >= 0 && each != '\n') {
        if (bytes.size() < LONGEST_LINE) {
          // For the SDK a carriage return ends a line; in JSON it is a space.
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

  /** Waits for the answers that are still missing. */
  private int unanswered() throws IOException {
    try {
      return answers.tryAcquire(requests, SECONDS_FOR_ANSWERS, TimeUnit.SECONDS)
          ? 0
          : requests - answers.availablePermits();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new InterruptedIOException("ended before all requests were answered");
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
      if (McpSchema.deserializeJsonRpcMessage(JSON, text) instanceof McpSchema.JSONRPCRequest) {
        requests++;
      }
      return true;
    } catch (IOException | RuntimeException e) {
      refuse(ErrorCodes.INVALID_REQUEST, "this line is no message of JSON-RPC");
      return false;
    }
  }

  /**
   * Writes the refusal in one piece, so that it stands before or after a message of the SDK, never
   * within.
   */
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

  /** Passes on whole lines, so that no character is split. */
  private final class LineStream extends OutputStream {
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    @Override
    public synchronized void write(int each) throws IOException {
      line.write(each);
      if (each == '\n') {
        String text = line.toString(StandardCharsets.UTF_8);
        line.reset();
        terminal.out().print(text);
        terminal.out().flush();
        if (McpSchema.deserializeJsonRpcMessage(JSON, text) instanceof McpSchema.JSONRPCResponse) {
          answers.release();
        }
      }
    }

    @Override
    public synchronized void write(byte[] bytes, int from, int count) throws IOException {
      for (int i = from; i < from + count; i++) {
        write(bytes[i]);
      }
    }
  }
}
