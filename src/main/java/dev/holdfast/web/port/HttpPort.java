package dev.holdfast.web.port;

import com.sun.management.UnixOperatingSystemMXBean;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;
import java.time.Duration;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.NetworkConnectionLimit;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A port that is ours and listens, even before a server answers there. A client that connects
 * before that is kept waiting by the operating system, not refused. Closing it twice is harmless,
 * and so is closing it after its server.
 */
public final class HttpPort implements AutoCloseable {
  private static final int MOST_CONNECTIONS = 10_000;
  private static final Duration IDLE_WHERE_FULL = Duration.ofSeconds(2);

  private final ServerSocketChannel channel;

  private HttpPort(ServerSocketChannel channel) {
    this.channel = channel;
  }

  /**
   * Opens the port.
   *
   * @param host loopback unless tokens are configured
   * @param port 0 takes a free one
   * @throws PortUnavailableException if it is not available, for example because somebody else
   *     listens there
   */
  public static HttpPort bind(String host, int port) {
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new PortUnavailableException(host, port, new UnknownHostException("unknown host"));
    }
    HttpPort bound = null;
    try {
      bound = new HttpPort(ServerSocketChannel.open());
      bound.channel.bind(address);
      return bound;
    } catch (IOException e) {
      if (bound != null) {
        bound.close();
      }
      throw new PortUnavailableException(host, port, e);
    }
  }

  /** Returns the number as bound, never 0. */
  public int number() {
    return channel.socket().getLocalPort();
  }

  /**
   * Returns the address under which this machine reaches it: by loopback if it is bound to every
   * address.
   */
  public URI local() {
    InetAddress bound = channel.socket().getInetAddress();
    InetAddress address = bound.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bound;
    String host = address.getHostAddress();
    return URI.create(
        "http://" + (address instanceof Inet6Address ? "[" + host + "]" : host) + ":" + number());
  }

  /**
   * Makes the connector through which an HTTP server answers here. Its connections are limited. At
   * the limit a silent one is closed, so that a health check comes in.
   */
  public ServerConnector connector(Server server, HttpConfiguration http) {
    ServerConnector connector = new ServerConnector(server, new HttpConnectionFactory(http));
    NetworkConnectionLimit limit = new NetworkConnectionLimit(mostConnections(), connector);
    limit.setEndPointIdleTimeout(IDLE_WHERE_FULL.toMillis());
    server.addBean(limit);
    try {
      connector.open(channel);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return connector;
  }

  /**
   * Returns at most half of the open files: a worker's programs and its database need some, too.
   */
  private static int mostConnections() {
    return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
        ? (int) Math.min(MOST_CONNECTIONS, unix.getMaxFileDescriptorCount() / 2)
        : MOST_CONNECTIONS;
  }

  @Override
  public void close() {
    try {
      channel.close();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
