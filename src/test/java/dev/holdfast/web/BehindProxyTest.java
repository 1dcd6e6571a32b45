package dev.holdfast.web;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.web.access.Access;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What proxies with usual settings make of a login in a browser. */
class BehindProxyTest {
  private static final URI CONSOLE = URI.create("https://holdfast.example/somewhere");

  @ParameterizedTest(name = "Host: {0}, Origin: {1}")
  @CsvSource({
    "holdfast.example, https://holdfast.example",
    "Holdfast.example, https://holdfast.example",
    "holdfast.example:443, https://holdfast.example",
    "holdfast.example, https://holdfast.example:443",
    "holdfast.example:80, http://holdfast.example",
    "holdfast.example:7070, http://holdfast.example:7070",
    "[::1]:443, https://[::1]",
  })
  @DisplayName("a login by a page of the host that was asked for is taken; the usual port is none")
  void ours(String host, String origin) throws IOException {
    assertThat(logIn(WebFixture.bearers(), host, origin)).startsWith("HTTP/1.1 303");
  }

  @ParameterizedTest(name = "Host: {0}, Origin: {1}")
  @CsvSource({
    "holdfast.example, https://evil.example",
    "holdfast.example:443, http://holdfast.example",
    "holdfast.example, https://holdfast.example.evil.example",
    "holdfast.example:7070, https://holdfast.example:70",
    "holdfast.example, null",
    "null, null",
    "holdfast.example, https://",
    "upstream, https://holdfast.example",
  })
  @DisplayName("a login by any other page is refused; what was compared is said, and what to do")
  void others(String host, String origin) throws IOException {
    assertThat(logIn(WebFixture.bearers(), host, origin))
        .startsWith("HTTP/1.1 403")
        .contains("the page is of " + origin + ", but the request came for the host " + host)
        .contains("let it pass Host on, or set webhooks.console-url");
  }

  @Test
  @DisplayName("a page of the configured address is ours, whatever host the proxy asks for")
  void configured() throws IOException {
    Access access = WebFixture.bearers().reachedAt(CONSOLE);
    String ours = "https://holdfast.example";
    assertThat(logIn(access, "upstream", ours)).startsWith("HTTP/1.1 303");
    assertThat(logIn(access, "upstream:7070", ours)).startsWith("HTTP/1.1 303");
    assertThat(logIn(access, "upstream", "http://holdfast.example")).startsWith("HTTP/1.1 403");
    assertThat(logIn(access, "upstream", "https://evil.example")).startsWith("HTTP/1.1 403");
    assertThat(logIn(access, "upstream", ours + "\r\nSec-Fetch-Site: cross-site"))
        .startsWith("HTTP/1.1 403")
        .contains("a page of another site");
  }

  @Test
  @DisplayName(
      "the proxies of the docs keep a browser at one worker: how far an action on many tickets is,"
          + " no other one knows")
  void oneWorker() {
    assertThat(Path.of("docs/deployment.md"))
        .content()
        .containsPattern("(?s)upstream holdfast \\{\\s+ip_hash;")
        .containsPattern(
            "(?s)backend holdfast\\n[^`]*  balance source\\n  hash-type consistent\\n");
  }

  private static String logIn(Access access, String host, String origin) throws IOException {
    String form = "token=" + WebFixture.ANN;
    String request =
        """
        POST /login HTTP/1.1
        Host: %s
        Origin: %s
        Content-Type: application/x-www-form-urlencoded
        Content-Length: %s
        Connection: close

        %s\
        """
            .formatted(host, origin, "" + form.length(), form);
    try (WebServer server = WebFixture.server(access);
        Socket socket = new Socket("127.0.0.1", server.port())) {
      socket.setSoTimeout(10_000);
      String crlf = request.replaceAll("\r?\n", "\r\n");
      socket.getOutputStream().write(crlf.getBytes(StandardCharsets.US_ASCII));
      return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
