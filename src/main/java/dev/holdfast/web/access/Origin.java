package dev.holdfast.web.access;

import java.net.URI;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The site that a page comes from, as its browser says: {@code https://holdfast.example}.
 *
 * @param authority the host in small letters; the port where it is not the usual one
 */
public record Origin(String scheme, String authority) {
  /**
   * Reads the origin of an address, with any path; empty where it has no host, as for {@code null}.
   */
  public static Optional<Origin> parse(String address) {
    try {
      URI uri = URI.create(address);
      return uri.getHost() == null || uri.getScheme() == null
          ? Optional.empty()
          : Optional.of(of(uri.getScheme().toLowerCase(Locale.ROOT), uri.getRawAuthority()));
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }

  /** Makes the origin. Browsers leave the usual port out; some proxies add it. */
  private static Origin of(String scheme, String authority) {
    String usual = scheme.equals("https") ? ":443" : ":80";
    String plain = authority.toLowerCase(Locale.ROOT);
    return new Origin(
        scheme,
        plain.endsWith(usual) ? plain.substring(0, plain.length() - usual.length()) : plain);
  }

  /** Returns true if a request with this header {@code Host} came to the site of the page. */
  public boolean isOf(@Nullable String host) {
    return host != null && of(scheme, host).equals(this);
  }

  @Override
  public String toString() {
    return scheme + "://" + authority;
  }
}
