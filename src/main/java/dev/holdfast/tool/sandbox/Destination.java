package dev.holdfast.tool.sandbox;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Locale;

/**
 * A destination that confined programs may connect to.
 *
 * @param host in lower case: a name, an IPv4 address, or {@code *.} and a name for all names below
 *     it
 */
record Destination(String host, int port) {
  private static final String BELOW = "*.";

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
   * True if it may lead to an address. Who owns a name says where it leads: only a design that
   * names this machine itself, as {@code localhost} or by address, has it reached.
   */
  boolean mayLeadTo(InetAddress address) {
    return !isHere(address) || host.equals("localhost") || host.equals(address.getHostAddress());
  }

  private static boolean isHere(InetAddress address) {
    try {
      return address.isLoopbackAddress()
          || address.isAnyLocalAddress()
          || address.isLinkLocalAddress()
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
