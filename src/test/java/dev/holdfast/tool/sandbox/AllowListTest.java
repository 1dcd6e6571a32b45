package dev.holdfast.tool.sandbox;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.sun.net.httpserver.HttpServer;
import dev.holdfast.process.BaseEnvironment;
import dev.holdfast.process.OutputLimits;
import dev.holdfast.process.ProgramEnd;
import dev.holdfast.process.ProgramRun;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.ServerSocket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.ResourceLock;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@DisplayName("issue 20, 1.5: a confined program with a list of places to go")
@Timeout(120)
// bubblewrap refuses to start where a socket that it shall hide has just gone.
@ResourceLock("unix sockets")
class AllowListTest {
  @TempDir private Path workspace;
  private final Sandboxes sandboxes = Sandboxes.of(SandboxMode.AUTO, System.getenv(), List.of());
  private HttpServer server;
  private HttpServer other;

  private static HttpServer serve() throws Exception {
    HttpServer server =
        HttpServer.create(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), 0), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] sent = exchange.getRequestBody().readAllBytes();
          String answer =
              "%s %s got %s by %s"
                  .formatted(
                      exchange.getRequestMethod(),
                      exchange.getRequestURI(),
                      new String(sent, StandardCharsets.UTF_8),
                      exchange.getRequestHeaders().keySet());
          byte[] bytes = answer.getBytes(StandardCharsets.UTF_8);
          exchange.sendResponseHeaders(200, bytes.length);
          exchange.getResponseBody().write(bytes);
          exchange.close();
        });
    server.start();
    return server;
  }

  @BeforeEach
  void prepare() throws Exception {
    server = serve();
    other = serve();
  }

  @AfterEach
  void close() {
    server.stop(0);
    other.stop(0);
  }

  private record Ended(ProgramEnd end, String output) {}

  private Ended run(String script, String input) throws Exception {
    Network network =
        new Network.Only(List.of(Destination.of("127.0.0.1:" + server.getAddress().getPort())));
    Sandbox sandbox = sandboxes.get(network);
    assumeTrue(sandbox instanceof Bubblewrap, "bubblewrap is installed and works");
    Map<String, String> variables = BaseEnvironment.of(System.getenv());
    variables.put(ProgramRun.RUN_ID, UUID.randomUUID().toString());
    List<String> command = sandbox.wrap(List.of("/bin/bash", "-c", script), workspace);
    try (ProgramRun run =
        ProgramRun.start(command, workspace, variables, input, OutputLimits.merged(20_000, 0))) {
      ProgramEnd end = run.await(Duration.ofSeconds(40), Duration.ZERO);
      return new Ended(end, run.stdout().bothEnds());
    }
  }

  @Test
  @DisplayName("what is on the list is reached by HTTP and through a tunnel; nothing else is")
  void places() throws Exception {
    int port = server.getAddress().getPort();
    int elsewhere = other.getAddress().getPort();
    String said =
        run(
                """
                ask() { curl -sS --max-time 20 "$@" 2>&1; echo; }
                ask -d body 'http://127.0.0.1:%s/plain?a=b'
                ask --proxytunnel http://127.0.0.1:%s/tunnel
                ask http://127.0.0.1:%s/refused
                ask --proxytunnel http://127.0.0.1:%s/closed
                exec 3<>/dev/tcp/127.0.0.1/%s && echo direct
                """
                    .replace("%s/refused", elsewhere + "/refused")
                    .replace("%s/closed", elsewhere + "/closed")
                    .replace("%s", Integer.toString(port)),
                "")
            .output();
    assertThat(said)
        .contains("POST /plain?a=b got body", "GET /tunnel got ")
        .contains("127.0.0.1:" + elsewhere + " is not in the design's network", "403")
        .doesNotContain("/refused", "/closed", "direct", "Proxy-");
  }

  @Test
  @DisplayName("the program's input, output and exit code are its own behind the relay")
  void program() throws Exception {
    assertThat(run("cat; echo done; exit 7", "given"))
        .isEqualTo(new Ended(new ProgramEnd.Exited(7), "givendone\n"));
  }

  @Test
  @DisplayName("garbage is answered, and the proxy goes on")
  void garbage() throws Exception {
    String said =
        run(
                """
                exec 3<>/dev/tcp/127.0.0.1/3128; printf 'garbage\\r\\n\\r\\n' >&3; cat <&3
                exec 3<>/dev/tcp/127.0.0.1/3128; printf 'CONNECT :x HTTP/1.1\\r\\n\\r\\n' >&3; cat <&3
                exec 3<>/dev/tcp/127.0.0.1/3128; head -c 20000 /dev/zero >&3; cat <&3
                curl -sS http://127.0.0.1:%s/after
                """
                    .replace("%s", Integer.toString(server.getAddress().getPort())),
                "")
            .output();
    assertThat(said).contains("400 Bad Request", "CONNECT needs host:port", "GET /after");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "\r\n\r\n",
        "GET\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "GET ftp://h/ HTTP/1.1\r\n\r\n",
        "GET http://%% HTTP/1.1\r\n\r\n",
        "CONNECT host HTTP/1.1\r\n\r\n",
        "CONNECT host:99999999999 HTTP/1.1\r\n\r\n",
      })
  @DisplayName("what is no request is refused")
  void noRequest(String head) {
    assertThatThrownBy(() -> ProxyRequest.of(head)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  @DisplayName("a program that opens connections without end takes 64 of the worker's, and no more")
  void flood() throws Exception {
    AllowListProxy proxy = AllowListProxy.open(List.of(Destination.of("127.0.0.1:1")));
    UnixDomainSocketAddress address =
        UnixDomainSocketAddress.of(proxy.directory().resolve(AllowListProxy.socket()));
    List<SocketChannel> open = new ArrayList<>();
    try {
      for (int i = 0; i < 64; i++) {
        open.add(SocketChannel.open(address));
        open.getLast().write(ByteBuffer.wrap(new byte[] {'G'}));
      }
      assertThat(answer(address)).startsWith("HTTP/1.1 503");
    } finally {
      for (SocketChannel each : open) {
        each.close();
      }
    }
    await().until(() -> answer(address).startsWith("HTTP/1.1 400"));
  }

  @Test
  @DisplayName("connections of ended programs to a server that says nothing take no room for ever")
  void silentServer() throws Exception {
    try (ServerSocket silent = new ServerSocket(0, 100, InetAddress.getByName("127.0.0.1"))) {
      String place = "127.0.0.1:" + silent.getLocalPort();
      AllowListProxy proxy =
          AllowListProxy.open(List.of(Destination.of(place)), Duration.ofMillis(200));
      UnixDomainSocketAddress address =
          UnixDomainSocketAddress.of(proxy.directory().resolve(AllowListProxy.socket()));
      String connect = "CONNECT " + place + " HTTP/1.1\r\n\r\n";
      for (int i = 0; i < 64; i++) {
        try (SocketChannel program = SocketChannel.open(address)) {
          program.write(ByteBuffer.wrap(connect.getBytes(StandardCharsets.US_ASCII)));
          program.read(ByteBuffer.allocate(100));
        }
      }
      await().until(() -> answer(address).startsWith("HTTP/1.1 400"));
    }
  }

  private static String answer(UnixDomainSocketAddress address) throws IOException {
    try (SocketChannel channel = SocketChannel.open(address)) {
      ByteBuffer answer = ByteBuffer.allocate(12);
      try {
        channel.write(ByteBuffer.wrap("x\r\n\r\n".getBytes(StandardCharsets.US_ASCII)));
      } catch (IOException e) {
        // Who is one too many is refused before it has said anything; the answer is there to read.
      }
      while (answer.hasRemaining() && channel.read(answer) >= 0) {
        // To the end of the status.
      }
      return new String(answer.array(), 0, answer.position(), StandardCharsets.US_ASCII);
    } catch (IOException e) {
      return e.toString();
    }
  }

  @Test
  @DisplayName("a plain request asks the server for the host that it was allowed for")
  void host() {
    assertThat(
            ProxyRequest.of(
                    "GET http://me@allowed.example:81/x HTTP/1.1\r\nhost : other.example\r\nA:"
                        + " b\r\n\r\n")
                .forward())
        .isEqualTo(
            "GET /x HTTP/1.1\r\nHost: allowed.example:81\r\nA: b\r\nConnection:"
                + " close\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd20:ce::254",
        "::ffff:169.254.169.254",
        "64:ff9b::169.254.169.254",
        "64:ff9b::100.100.100.200",
        "64:ff9b::127.0.0.1",
      })
  @DisplayName("a name leads to no cloud's metadata, not even as an IPv6 address")
  void metadata(String address) {
    InetAddress metadata = InetAddress.ofLiteral(address);
    assertThat(Destination.of("*.example.org:80").mayLeadTo(metadata)).isFalse();
  }

  @Test
  @DisplayName("a name leads to this machine only where the design names this machine")
  void names() throws Exception {
    Destination wild = Destination.of("*.Example.org:443");
    assertThat(wild.matches("api.EXAMPLE.org", 443)).isTrue();
    assertThat(wild.matches("example.org", 443)).isFalse();
    assertThat(wild.matches("evilexample.org", 443)).isFalse();
    assertThat(wild.matches("api.example.org", 80)).isFalse();
    InetAddress here = InetAddress.getByName("127.0.0.1");
    InetAddress metadata = InetAddress.getByName("169.254.169.254");
    assertThat(wild.mayLeadTo(here)).isFalse();
    assertThat(wild.mayLeadTo(metadata)).isFalse();
    // Whoever listens on every address, as a database does, is reached by these, too.
    for (NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces())) {
      for (InetAddress own : Collections.list(each.getInetAddresses())) {
        assertThat(wild.mayLeadTo(own)).as(own.toString()).isFalse();
      }
    }
    for (String elsewhere : new String[] {"192.0.2.1", "64:ff9b::192.0.2.1", "2001:db8::1"}) {
      assertThat(wild.mayLeadTo(InetAddress.ofLiteral(elsewhere))).as(elsewhere).isTrue();
    }
    assertThat(Destination.of("localhost:80").mayLeadTo(here)).isTrue();
    assertThat(Destination.of("127.0.0.1:80").mayLeadTo(here)).isTrue();
  }
}
