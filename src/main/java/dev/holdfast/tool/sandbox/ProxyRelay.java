package dev.holdfast.tool.sandbox;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardProtocolFamily;
import java.net.URISyntaxException;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Runs inside a sandbox and does two things. It passes connections to a port of the sandbox's own
 * loopback on to a unix socket, because programs know proxies by ports only. And it runs the
 * program. Its exit code is the program's.
 */
final class ProxyRelay {
  /** The port of the relay; in a network of its own nobody else can have it. */
  static final int PORT = 3128;

  private ProxyRelay() {}

  /** Returns the words that run a command through the relay. */
  static List<String> wrap(Path socket, List<String> command) {
    List<String> words = new ArrayList<>();
    words.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    words.addAll(List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-XX:-UsePerfData"));
    words.addAll(List.of("-Xmx32m", "-Xshare:auto", "-cp", home().toString()));
    words.addAll(List.of(ProxyRelay.class.getName(), socket.toString()));
    words.addAll(command);
    return words;
  }

  /** The jar or the directory that this class is in. */
  static Path home() {
    try {
      return Path.of(ProxyRelay.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    } catch (URISyntaxException e) {
      throw new IllegalStateException(e);
    }
  }

  /**
   * @param arguments the socket, then the command
   */
  public static void main(String[] arguments) throws IOException, InterruptedException {
    UnixDomainSocketAddress proxy = UnixDomainSocketAddress.of(arguments[0]);
    ServerSocketChannel server = ServerSocketChannel.open();
    server.bind(new InetSocketAddress(InetAddress.getByName("127.0.0.1"), PORT));
    Thread.ofVirtual().start(() -> accept(server, proxy));
    List<String> command = List.of(arguments).subList(1, arguments.length);
    System.exit(new ProcessBuilder(command).inheritIO().start().waitFor());
  }

  private static void accept(ServerSocketChannel server, UnixDomainSocketAddress proxy) {
    try {
      while (true) {
        SocketChannel client = server.accept();
        Thread.ofVirtual().start(() -> relay(client, proxy));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static void relay(SocketChannel client, UnixDomainSocketAddress proxy) {
    try (client;
        SocketChannel worker = SocketChannel.open(StandardProtocolFamily.UNIX)) {
      worker.connect(proxy);
      ChannelPipe.join(client, worker, ChannelPipe.SILENCE);
    } catch (IOException e) {
      // The client sees that its connection ends.
      return;
    }
  }
}
