package dev.holdfast.llm.wire;

import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import java.io.BufferedInputStream;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The response to one HTTP request, as far as it has arrived. Written by the thread that sends the
 * request; any thread may read the fields about the response.
 */
public final class Transmission {
  private static final int MAX_ERROR_BODY = 64 * 1024;
  private static final String STARTS_OF_EVENTS = "deir:";
  private static final byte[] BYTE_ORDER_MARK = {(byte) 0xEF, (byte) 0xBB, (byte) 0xBF};

  private final StreamListener stream;
  private final int maxAnswerChars;
  private volatile @Nullable Integer status;
  private volatile @Nullable String requestId;
  private volatile Usage usage = Usage.NONE;
  private volatile Map<String, List<String>> headers = Map.of();
  private volatile String errorBody = "";
  private volatile boolean document;
  private volatile boolean closed;
  private @Nullable InputStream body;

  Transmission(StreamListener stream, int maxAnswerChars) {
    this.stream = stream;
    this.maxAnswerChars = maxAnswerChars;
  }

  /**
   * Takes the head of the answer. Reads an error's body at once, because the SDK would forget one
   * that is no JSON.
   *
   * @return the body, for the SDK
   */
  public InputStream opened(
      int status, Map<String, List<String>> headers, @Nullable String requestId, InputStream raw) {
    this.headers = headers;
    this.requestId = requestId;
    this.status = status;
    try {
      InputStream opened = status >= 200 && status < 300 ? answer(raw) : error(raw);
      body = opened;
      return opened;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads an error's body. What was read is kept, even where the rest is cut off or does not come.
   */
  private InputStream error(InputStream raw) {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    byte[] buffer = new byte[8192];
    try {
      int read = raw.read(buffer);
      while (read >= 0 && bytes.size() < MAX_ERROR_BODY) {
        bytes.write(buffer, 0, Math.min(read, MAX_ERROR_BODY - bytes.size()));
        errorBody = bytes.toString(StandardCharsets.UTF_8);
        read = raw.read(buffer);
      }
    } catch (IOException e) {
      // The status says what kind of error it is, and what has come says more.
    }
    return new ByteArrayInputStream(bytes.toByteArray());
  }

  private InputStream answer(InputStream raw) throws IOException {
    BufferedInputStream in = new BufferedInputStream(new BodyWatch(raw, maxAnswerChars));
    in.mark(1024);
    if (Arrays.equals(in.readNBytes(BYTE_ORDER_MARK.length), BYTE_ORDER_MARK)) {
      in.mark(1024);
    }
    in.reset();
    int first = in.read();
    for (int i = 0; i < 1000 && first >= 0 && first <= ' '; i++) {
      first = in.read();
    }
    in.reset();
    document = first >= 0 && STARTS_OF_EVENTS.indexOf(first) < 0;
    return in;
  }

  /** True if the body is one document, of whatever kind, and no event stream. */
  public boolean isDocument() {
    return document;
  }

  /** Tells that the SDK has closed the answer. */
  public void closed() {
    closed = true;
  }

  /** True if the SDK has closed the answer. */
  public boolean isClosed() {
    return closed;
  }

  /** The whole document. */
  public String document() {
    InputStream in = body;
    if (in == null) {
      throw new IllegalStateException("there is no answer yet");
    }
    try {
      int most = (int) Math.min(Integer.MAX_VALUE - 8L, maxAnswerChars * 4L + 64 * 1024);
      byte[] bytes = in.readNBytes(most);
      if (bytes.length == most) {
        throw new AnswerTooLongException(maxAnswerChars);
      }
      return new String(bytes, StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A place for the answer, which hands on each piece as it comes. */
  public AnswerBuilder newAnswer() {
    return new AnswerBuilder(stream, maxAnswerChars);
  }

  /** Sets the usage that is known so far, because a cut answer has to be paid too. */
  public void usage(Usage usage) {
    this.usage = usage;
  }

  Usage usage() {
    return usage;
  }

  @Nullable Integer status() {
    return status;
  }

  @Nullable String requestId() {
    return requestId;
  }

  Map<String, List<String>> headers() {
    return headers;
  }

  /** The body of an error; "" where the answer is not an error. */
  String errorBody() {
    return errorBody;
  }
}
