package dev.holdfast.process;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The end of a program's output")
class OutputTailTest {
  @Test
  @DisplayName("Whatever sizes the output comes in, the last bytes are kept and all are counted")
  void keepsTheEnd() {
    Random random = new Random(7);
    for (int round = 0; round < 200; round++) {
      int limit = 1 + random.nextInt(20_000);
      OutputTail tail = new OutputTail(limit);
      StringBuilder all = new StringBuilder();
      for (int i = random.nextInt(30); i >= 0; i--) {
        String part = Integer.toString(random.nextInt(), 36).repeat(random.nextInt(1500));
        all.append(part);
        tail.append(part.getBytes(StandardCharsets.US_ASCII), part.length());
      }
      assertThat(tail.total()).isEqualTo(all.length());
      assertThat(tail.end()).isEqualTo(all.substring(Math.max(0, all.length() - limit)));
      assertThat(tail.end(10))
          .isEqualTo(all.substring(Math.max(0, all.length() - Math.min(10, limit))));
    }
  }

  @Test
  @DisplayName("A character that the cut splits is left out; broken UTF-8 elsewhere is marked")
  void cutsBetweenCharacters() {
    OutputTail tail = new OutputTail(5);
    byte[] euros = "€€".getBytes(StandardCharsets.UTF_8);
    tail.append(euros, euros.length);
    assertThat(tail.end()).isEqualTo("€");
    assertThat(tail.end(2)).isEmpty();

    OutputTail broken = new OutputTail(5);
    broken.append(new byte[] {(byte) 0x82, 'a'}, 2);
    assertThat(broken.end()).isEqualTo("\uFFFDa");
  }

  @Test
  @DisplayName("A stream that breaks leaves what was read")
  void survivesBrokenStream() {
    OutputTail tail = new OutputTail(100);
    InputStream breaking =
        new InputStream() {
          private final InputStream start =
              new ByteArrayInputStream("abc".getBytes(StandardCharsets.US_ASCII));

          @Override
          public int read() throws IOException {
            int next = start.read();
            if (next < 0) {
              throw new IOException("Stream closed");
            }
            return next;
          }

          @Override
          public int read(byte[] bytes, int offset, int length) throws IOException {
            bytes[offset] = (byte) read();
            return 1;
          }
        };

    tail.drain(breaking);

    assertThat(tail.end()).isEqualTo("abc");
  }
}
