package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.WithDatabase;
import dev.holdfast.web.port.HttpPort;
import dev.holdfast.web.port.PortUnavailableException;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@WithDatabase
class HttpPortIT {
  private static final String LOOPBACK = "127.0.0.1";

  private final TestDatabase database;

  HttpPortIT(TestDatabase database) {
    this.database = database;
  }

  @Test
  @DisplayName("who connects before anybody answers is not refused, and is answered later")
  void waiting() throws IOException {
    try (HttpPort port = HttpPort.bind(LOOPBACK, 0);
        Socket early = new Socket(LOOPBACK, port.number())) {
      early
          .getOutputStream()
          .write("GET /openapi.json HTTP/1.0\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
      try (WebServer server =
          WebServer.start(
              port,
              WebFixture.MAX_PAYLOAD,
              WebFixture.local("me"),
              Pages.plain(),
              List.of(WebFixture.api(WebFixture.ports(database.dataSource()))))) {
        assertThat(server.port()).isEqualTo(port.number());
        BufferedReader answer =
            new BufferedReader(
                new InputStreamReader(early.getInputStream(), StandardCharsets.US_ASCII));
        assertThat(answer.readLine()).contains(" 200 ");
      }
    }
  }

  @Test
  @DisplayName("a port that somebody else has: its number, and what to do")
  void taken() throws IOException {
    try (ServerSocket other = new ServerSocket(0, 1, InetAddress.getByName(LOOPBACK))) {
      assertThatThrownBy(() -> HttpPort.bind(LOOPBACK, other.getLocalPort()))
          .isInstanceOf(PortUnavailableException.class)
          .hasMessageContainingAll("port " + other.getLocalPort(), LOOPBACK, "--port");
    }
  }

  @ParameterizedTest(name = "{0}")
  @ValueSource(strings = {"192.0.2.1", "no host"})
  @DisplayName("a host that is not this machine: its name, and what to do")
  void notOurs(String host) {
    assertThatThrownBy(() -> HttpPort.bind(host, 0))
        .isInstanceOf(PortUnavailableException.class)
        .hasMessageContainingAll(host, "web.host");
  }
}
