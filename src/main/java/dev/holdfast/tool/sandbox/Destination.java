package dev.holdfast.tool.sandbox;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.Locale;
import java.util.Set;

/**
 * A destination that confined programs may connect to.
 *
 * @param host in lower case: a name, an IPv4 address, or {@code *.} and a name for all names below
 *     it
 */
record Destination(String host, int port) {
  private static final String BELOW = "*.";

  /**
   * The addresses where clouds tell a machine its credentials: Alibaba, Azure, Oracle, AWS, Google.
   */
  private static final Set<InetAddress> METADATA =
      Set.of(
          InetAddress.ofLiteral("100.100.100.200"),
          InetAddress.ofLiteral("168.63.129.16"),
          InetAddress.ofLiteral("192.0.0.192"),
          InetAddress.ofLiteral("fd00:ec2::254"),
          InetAddress.ofLiteral("fd20:ce::254"));

  /** The 12 bytes before the IPv4 address in an IPv6 address that is translated to it. */
  private static final byte[] TRANSLATED =
      Arrays.copyOf(InetAddress.ofLiteral("64:ff9b::").getAddress(), 12);

  /**
   * @param text {@code host:port}, valid by the schema of designs
   */
  static Destination of(String text) {
    int colon = text.lastIndexOf(':');
    return new Destination(
        text.substring(0, colon).toLowerCase(Locale.ROOT),
        Integer.parseInt(text.substring(colon + 1)));
  }

  boolean matches(String name, int number) {
    String lower = name.toLowerCase(Locale.ROOT);
    boolean same = host.startsWith(BELOW) ? lower.endsWith(host.substring(1)) : lower.equals(host);
    return same && number == port;
  }

  /**
   * True if it may lead to an address. The owner of a name decides where it leads. So this machine
   * is reached only if the design names it, as {@code localhost} or by address. The addresses where
   * a cloud informs this machine alone count as a part of it.
   */
  boolean mayLeadTo(InetAddress address) {
    return !isHere(translated(address))
        || host.equals("localhost")
        || host.equals(address.getHostAddress());
  }

  /**
   * Returns the address that is reached; in an IPv6 network an IPv4 address is part of a longer
   * one.
   */
  private static InetAddress translated(InetAddress address) {
    byte[] bytes = address.getAddress();
    if (!Arrays.equals(TRANSLATED, Arrays.copyOf(bytes, TRANSLATED.length))) {
      return address;
    }
    try {
      return InetAddress.getByAddress(Arrays.copyOfRange(bytes, TRANSLATED.length, bytes.length));
    } catch (UnknownHostException e) {
      throw new IllegalArgumentException("no address: " + address, e);
    }
  }

  private static boolean isHere(InetAddress address) {
    try {
      return address.isLoopbackAddress()
          || address.isAnyLocalAddress()
          || address.isLinkLocalAddress()
          || METADATA.contains(address)
          || NetworkInterface.getByInetAddress(address) != null;
    } catch (SocketException e) {
      return true; // nobody knows
    }
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
