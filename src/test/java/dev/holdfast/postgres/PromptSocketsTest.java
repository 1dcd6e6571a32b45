package dev.holdfast.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class PromptSocketsTest {
  private final ServerSocket server = listener();
  private Socket far;
  private Socket near;

  private static ServerSocket listener() {
    try {
      return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @BeforeEach
  void connect() throws IOException {
    near = new PromptSockets().createSocket();
    near.connect(server.getLocalSocketAddress());
    far = server.accept();
  }

  @AfterEach
  void close() throws IOException {
    near.close();
    far.close();
    server.close();
  }

  @Test
  @DisplayName("a look finds nothing, and nothing of what comes later is lost")
  void look() throws IOException {
    InputStream in = near.getInputStream();
    near.setSoTimeout(1);
    assertThatThrownBy(in::read)
        .isInstanceOf(SocketTimeoutException.class)
        .hasMessage("nothing has arrived");
    assertThatThrownBy(() -> in.read(new byte[8])).isInstanceOf(SocketTimeoutException.class);
    far.getOutputStream().write(new byte[] {7, 8, 9});

    near.setSoTimeout(30_000);

    assertThat(in.read()).isEqualTo(7);
    near.setSoTimeout(1);
    byte[] rest = new byte[2];
    assertThat(in.read(rest)).isEqualTo(2);
    assertThat(rest).containsExactly(8, 9);
  }

  @Test
  @DisplayName("other waits are as long as they are asked to be, and see the end of the stream")
  void waits() throws IOException {
    InputStream in = near.getInputStream();
    near.setSoTimeout(2);
    assertThatThrownBy(in::read)
        .isInstanceOf(SocketTimeoutException.class)
        .hasMessageNotContaining("arrived");
    far.close();
    near.setSoTimeout(30_000);

    assertThat(in.read()).isEqualTo(-1);
  }
}
