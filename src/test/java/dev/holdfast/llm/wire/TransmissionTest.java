package dev.holdfast.llm.wire;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Usage;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One response as it arrives. */
class TransmissionTest {
  private static final int MAX_CHARS = 10;
  private static final int LONGEST_LINE = 4 * MAX_CHARS + 64 * 1024;

  private final Transmission seen = new Transmission(StreamListener.NONE, MAX_CHARS);

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }

  private InputStream opened(int status, String body) {
    return opened(status, bytes(body));
  }

  private InputStream opened(int status, InputStream body) {
    return seen.opened(status, Map.of("h", List.of("v")), "r-1", body);
  }

  private static String all(InputStream in) throws IOException {
    return new String(in.readAllBytes(), StandardCharsets.UTF_8);
  }

  /** An endless line. */
  private static InputStream endless() {
    return new InputStream() {
      @Override
      public int read() {
        return 'x';
      }
    };
  }

  private static InputStream broken() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        throw new IOException("reset");
      }
    };
  }

  @Test
  @DisplayName("before anything has arrived there is nothing to tell")
  void nothing() {
    assertThat(seen.status()).isNull();
    assertThat(seen.requestId()).isNull();
    assertThat(seen.headers()).isEmpty();
    assertThat(seen.errorBody()).isEmpty();
    assertThat(seen.usage()).isEqualTo(Usage.NONE);
    assertThatThrownBy(seen::document).hasMessage("there is no answer yet");
  }

  @ParameterizedTest
  @ValueSource(ints = {300, 400, 429, 500, 599, 199})
  @DisplayName("an error's body is kept, and the SDK reads it too")
  void error(int status) throws IOException {
    assertThat(all(opened(status, "grüße"))).isEqualTo("grüße");
    assertThat(seen.errorBody()).isEqualTo("grüße");
    assertThat(seen.status()).isEqualTo(status);
    assertThat(seen.requestId()).isEqualTo("r-1");
    assertThat(seen.headers()).containsKey("h");
    assertThat(seen.isDocument()).isFalse();
  }

  @Test
  @DisplayName("an error without an end is read for 64 KiB")
  void endlessError() throws IOException {
    assertThat(all(opened(500, endless()))).hasSize(64 * 1024);
    assertThat(seen.errorBody()).hasSize(64 * 1024);
  }

  @Test
  @DisplayName("where an error's body breaks off, its status and what has come are known")
  void brokenError() throws IOException {
    assertThat(all(opened(503, new SequenceInputStream(bytes("busy"), broken()))))
        .isEqualTo("busy");
    assertThat(seen.status()).isEqualTo(503);
    assertThat(seen.errorBody()).isEqualTo("busy");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "data: {}\n\n",
        "event: x\n\n",
        "id: 1\n\n",
        "retry: 5\n\n",
        ": ping\n\n",
        " \r\n\tdata: {}\n\n",
        "",
        "   ",
      })
  @DisplayName("a stream of events is read as one, from its first byte")
  void stream(String body) throws IOException {
    assertThat(all(opened(200, body))).isEqualTo(body);
    assertThat(seen.isDocument()).isFalse();
    assertThat(seen.errorBody()).isEmpty();
  }

  @ParameterizedTest
  @CsvSource({"data: {}, false", "' data: {}', false", "{}, true", "'', false"})
  @DisplayName("a byte order mark before a stream or a document is no part of it")
  void byteOrderMark(String body, boolean document) throws IOException {
    InputStream read = opened(200, "\uFEFF" + body);
    assertThat(seen.isDocument()).isEqualTo(document);
    assertThat(document ? seen.document() : all(read)).isEqualTo(body);
  }

  @ParameterizedTest
  @ValueSource(strings = {"{}", " \n[1]", "<html>", "null", "bad gateway"})
  @DisplayName("everything else is a document, and whole")
  void document(String body) {
    opened(200, body);
    assertThat(seen.isDocument()).isTrue();
    assertThat(seen.document()).isEqualTo(body);
  }

  @Test
  @DisplayName("a thousand blanks before an answer do it no harm")
  void blanks() {
    String body = " ".repeat(999) + "{}";
    opened(299, body);
    assertThat(seen.isDocument()).isTrue();
    assertThat(seen.document()).isEqualTo(body);
    opened(200, " ".repeat(999) + "data: x");
    assertThat(seen.isDocument()).isFalse();
  }

  @Test
  @DisplayName("a document is bounded, however many lines it has")
  void longDocument() {
    opened(200, "\n".repeat(LONGEST_LINE - 1));
    assertThat(seen.document()).hasSize(LONGEST_LINE - 1);
    opened(200, "\n".repeat(LONGEST_LINE));
    assertThatThrownBy(seen::document).hasRootCauseInstanceOf(AnswerTooLongException.class);
  }

  @Test
  @DisplayName("a line without an end is cut off, many short ones are not")
  void longLine() throws IOException {
    InputStream lines = opened(200, ("data: " + "x".repeat(1_000) + "\n").repeat(200));
    assertThat(lines.readAllBytes()).hasSize(200 * 1_007);
    InputStream line = opened(200, new SequenceInputStream(bytes("data: "), endless()));
    assertThatThrownBy(line::readAllBytes).isInstanceOf(AnswerTooLongException.class);
  }

  @ParameterizedTest
  @CsvSource({"0, true", "1, false"})
  @DisplayName("a line is as long as the bound and no longer, read byte by byte as well")
  void lineByBytes(int more, boolean fits) throws IOException {
    try (InputStream watch =
        new BodyWatch(bytes("\n" + "x".repeat(LONGEST_LINE + more)), MAX_CHARS)) {
      assertThat(watch.markSupported()).isFalse();
      int last = 0;
      try {
        while (last >= 0) {
          last = watch.read();
        }
      } catch (AnswerTooLongException e) {
        last = 0;
      }
      assertThat(last < 0).isEqualTo(fits);
    }
  }

  @Test
  @DisplayName("a line counts where it was read to, whatever else stands in the buffer")
  void lineInBuffer() throws IOException {
    byte[] buffer = new byte[2 * (LONGEST_LINE + 1)];
    Arrays.fill(buffer, (byte) '\n');
    try (InputStream watch = new BodyWatch(bytes("x".repeat(LONGEST_LINE + 1)), MAX_CHARS)) {
      assertThatThrownBy(() -> watch.read(buffer, LONGEST_LINE + 1, LONGEST_LINE + 1))
          .isInstanceOf(AnswerTooLongException.class);
    }
  }

  @Test
  @DisplayName("bytes above 127 come out as they are")
  void highBytes() throws IOException {
    try (InputStream watch = new BodyWatch(new ByteArrayInputStream(new byte[] {-1}), MAX_CHARS)) {
      assertThat(watch.read()).isEqualTo(255);
      assertThat(watch.read()).isEqualTo(-1);
    }
  }

  @Test
  @DisplayName("an answer that is built from it has the same bound and the last usage told counts")
  void answer() {
    assertThatThrownBy(() -> seen.newAnswer().text("x".repeat(MAX_CHARS + 1)))
        .hasRootCauseInstanceOf(AnswerTooLongException.class);
    seen.usage(new Usage(1, 0, 0, 0));
    seen.usage(new Usage(2, 0, 0, 0));
    assertThat(seen.usage()).isEqualTo(new Usage(2, 0, 0, 0));
  }
}
