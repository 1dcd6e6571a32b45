package dev.holdfast.web;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.channels.ServerSocketChannel;

/**
 * A port that is ours and listens, whether or not a {@link WebServer} answers there yet: whoever
 * connects before it does is kept waiting by the operating system, not refused. Closing it twice is
 * harmless, and so is closing it after its server.
 */
public final class HttpPort implements AutoCloseable {
  private final ServerSocketChannel channel;

  private HttpPort(ServerSocketChannel channel) {
    this.channel = channel;
  }

  /**
   * @param host loopback unless tokens are configured
   * @param port 0 takes a free one
   * @throws PortUnavailableException if it cannot be had, as when somebody else listens there
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

  /** As bound, never 0. */
  public int number() {
    return channel.socket().getLocalPort();
  }

  /**
   * The address under which this machine reaches it: by loopback if it is bound to every address.
   */
  public URI local() {
    InetAddress bound = channel.socket().getInetAddress();
    InetAddress address = bound.isAnyLocalAddress() ? InetAddress.getLoopbackAddress() : bound;
    String host = address.getHostAddress();
    return URI.create(
        "http://" + (address instanceof Inet6Address ? "[" + host + "]" : host) + ":" + number());
  }

  ServerSocketChannel channel() {
    return channel;
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
