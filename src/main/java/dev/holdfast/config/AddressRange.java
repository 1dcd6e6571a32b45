package dev.holdfast.config;

import java.net.InetAddress;
import java.util.Locale;

/**
 * Addresses that begin with the same bits.
 *
 * @param first one of them
 * @param bits how many bits all of them share with it
 */
public record AddressRange(InetAddress first, int bits) {
  private static final int IPV4_NUMBERS = 4;

  /**
   * Reads {@code 10.0.0.7}, {@code 10.0.0.0/8} or {@code fd00::/8}; names are not looked up.
   *
   * @throws ConfigException if it is no address, or means every address there is
   */
  static AddressRange parse(String key, String text) {
    String[] parts = text.split("/", 2);
    try {
      if (!parts[0].contains(":") && parts[0].split("\\.", -1).length != IPV4_NUMBERS) {
        // The library reads 192.168 as 192.0.0.168.
        throw new IllegalArgumentException("an IPv4 address has four numbers");
      }
      InetAddress address = InetAddress.ofLiteral(parts[0]);
      int most = address.getAddress().length * Byte.SIZE;
      int bits = parts.length == 1 ? most : Integer.parseInt(parts[1]);
      if (bits >= 1 && bits <= most) {
        return new AddressRange(address, bits);
      }
      throw new ConfigException(
          String.format(
              Locale.ROOT, "%s: \"%s\" must have 1 to %d bits after the slash", key, text, most));
    } catch (IllegalArgumentException e) {
      throw new ConfigException(
          key + ": \"" + text + "\" is no address; write it as 10.0.0.7, 10.0.0.0/8 or fd00::/8",
          e);
    }
  }

  public boolean contains(InetAddress address) {
    byte[] one = first.getAddress();
    byte[] other = address.getAddress();
    if (one.length != other.length) {
      return false;
    }
    for (int bit = 0; bit < bits; bit++) {
      int mask = 0x80 >> bit % Byte.SIZE;
      if (((one[bit / Byte.SIZE] ^ other[bit / Byte.SIZE]) & mask) != 0) {
        return false;
      }
    }
    return true;
  }

  /** Returns true if programs of this machine come from there. */
  boolean isThisMachine() {
    return first.isLoopbackAddress()
        || contains(InetAddress.ofLiteral("127.0.0.1"))
        || contains(InetAddress.ofLiteral("::1"));
  }
}
