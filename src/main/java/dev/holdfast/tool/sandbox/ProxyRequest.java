package dev.holdfast.tool.sandbox;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * A program's request to a proxy.
 *
 * @param port from 0 to 65535
 * @param forward what the server is sent first; empty for a tunnel
 */
record ProxyRequest(String host, int port, String forward) {
  private static final int LAST_PORT = 65_535;
  private static final Pattern METHOD = Pattern.compile("[A-Za-z]{1,20}");

  ProxyRequest {
    if (port < 0 || port > LAST_PORT) {
      throw new IllegalArgumentException("there is no port " + port);
    }
  }

  /**
   * @param head of the request, with the empty line at its end
   * @throws IllegalArgumentException if it is none
   */
  static ProxyRequest of(String head) {
    String[] words = head.substring(0, Math.max(0, head.indexOf("\r\n"))).split(" ", -1);
    if (words.length != 3
        || !METHOD.matcher(words[0]).matches()
        || !words[2].startsWith("HTTP/1.")) {
      throw new IllegalArgumentException("this is no request to a proxy");
    }
    return words[0].equals("CONNECT") ? tunnel(words[1]) : plain(words, head);
  }

  private static ProxyRequest tunnel(String authority) {
    int colon = authority.lastIndexOf(':');
    try {
      return new ProxyRequest(
          authority.substring(0, Math.max(0, colon)),
          Integer.parseInt(authority.substring(colon + 1)),
          "");
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException("CONNECT needs host:port", e);
    }
  }

  /**
   * Makes a plain request. It allows only one per connection, because the next could be for another
   * place.
   */
  private static ProxyRequest plain(String[] words, String head) {
    URI uri;
    try {
      uri = new URI(words[1]);
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException("its address cannot be read", e);
    }
    if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
      throw new IllegalArgumentException("only http:// and CONNECT are passed on");
    }
    String path = uri.getRawPath().isEmpty() ? "/" : uri.getRawPath();
    String query = uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery();
    String headers =
        head.lines()
            .skip(1)
            .filter(line -> !line.isEmpty())
            .filter(
                line ->
                    !line.toLowerCase(Locale.ROOT).matches("(?:(?:proxy-)?connection|host)\\s*:.*"))
            .map(line -> line + "\r\n")
            .collect(Collectors.joining());
    return new ProxyRequest(
        uri.getHost(),
        uri.getPort() < 0 ? 80 : uri.getPort(),
        "%s %s%s HTTP/1.1\r\nHost: %s\r\n%sConnection: close\r\n\r\n"
            .formatted(
                words[0], path, query, uri.getRawAuthority().replaceFirst("^.*@", ""), headers));
  }
}
