package dev.holdfast.postgres;

import dev.holdfast.ticket.HoldfastException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGProperty;

/**
 * A database's address with the credentials taken out of it.
 *
 * @param jdbcUrl without user and password
 * @param user percent-decoded; null if the URL names none
 * @param password percent-decoded; null if the URL names none
 */
record DatabaseUrl(String jdbcUrl, @Nullable String user, @Nullable String password) {
  private static final Pattern SHAPE =
      Pattern.compile(
          "(?<jdbc>jdbc:)?postgres(ql)?:(//(?<authority>[^/?]*))?/?(?<database>[^/?]*)(\\?(?<query>.*))?",
          Pattern.CASE_INSENSITIVE);
  private static final Pattern HOST =
      Pattern.compile("(?<host>\\[[0-9A-Fa-f:.]+]|[A-Za-z0-9._-]*)(:(?<port>\\d{1,5}))?");
  private static final Pattern KEY_PASSWORD = Pattern.compile("([?&]sslpassword=)[^&]*");
  private static final String TARGET = "target_session_attrs";
  private static final String DRIVERS_TARGET = "targetServerType";
  // The names of libpq that differ from those of the JDBC driver.
  private static final Map<String, String> LIBPQ_NAMES =
      Map.of(
          "application_name",
          "ApplicationName",
          "channel_binding",
          "channelBinding",
          "connect_timeout",
          "connectTimeout",
          "gssencmode",
          "gssEncMode",
          "krbsrvname",
          "kerberosServerName",
          "sslnegotiation",
          "sslNegotiation",
          TARGET,
          DRIVERS_TARGET);
  private static final Map<String, String> TARGETS =
      Map.of(
          "any", "any",
          "primary", "primary",
          "read-write", "primary",
          "read-only", "secondary",
          "standby", "secondary",
          "prefer-standby", "preferSecondary");
  // Java's own list of authorities, instead of the system's; libpq then verifies all by itself.
  private static final String KNOWN_AUTHORITIES =
      "sslfactory=org.postgresql.ssl.DefaultJavaSSLFactory";
  private static final String VERIFIED = KNOWN_AUTHORITIES + "&sslmode=verify-full";
  // The parameters of libpq that the driver does not need, or has settled.
  private static final Set<String> NEEDLESS =
      Set.of(
          "client_encoding",
          "fallback_application_name",
          "keepalives",
          "keepalives_count",
          "keepalives_idle",
          "keepalives_interval",
          "sslcompression",
          "sslsni",
          "tcp_user_timeout");

  @Override
  public String toString() {
    return masked(jdbcUrl);
  }

  /** Returns the URL without the password of the client's key. */
  static String masked(String jdbcUrl) {
    return KEY_PASSWORD.matcher(jdbcUrl).replaceAll("$1***");
  }

  /**
   * Takes {@code jdbc:postgresql://host/db?user=…}, {@code postgres://user:pw@host:port/db?params}
   * and {@code postgresql://…}, several hosts and IPv6 included.
   *
   * @throws HoldfastException if it is none of these; the message repeats no part of it, because a
   *     password may be anywhere in a broken URL
   */
  static DatabaseUrl parse(String url) {
    Matcher shape = SHAPE.matcher(url.strip());
    if (!shape.matches()) {
      throw bad("it does not start with jdbc:postgresql:// or postgres://, or has two paths");
    }
    boolean jdbc = shape.group("jdbc") != null;
    String authority = orEmpty(shape.group("authority"));
    int at = authority.lastIndexOf('@');
    Credentials credentials = new Credentials(jdbc);
    if (at >= 0) {
      credentials.fromUserInfo(authority.substring(0, at));
    }
    String hosts = hosts(authority.substring(at + 1));
    String query = toPrimary(hosts, credentials.fromQuery(orEmpty(shape.group("query"))));
    String database = encode(decode(orEmpty(shape.group("database")), jdbc));
    return new DatabaseUrl(
        "jdbc:postgresql://" + hosts + "/" + database + query,
        credentials.user,
        credentials.password);
  }

  /**
   * Asks for the primary: the driver itself would take the first host that answers, and stay at a
   * server that only follows.
   */
  private static String toPrimary(String hosts, String query) {
    return !hosts.contains(",") || query.contains(DRIVERS_TARGET + "=")
        ? query
        : query + (query.isEmpty() ? "?" : "&") + DRIVERS_TARGET + "=primary";
  }

  /** Collects user and password while the URL is read. */
  private static final class Credentials {
    private final boolean jdbc;
    private @Nullable String user;
    private @Nullable String password;

    Credentials(boolean jdbc) {
      this.jdbc = jdbc;
    }

    void fromUserInfo(String userInfo) {
      int colon = userInfo.indexOf(':');
      user = decode(colon < 0 ? userInfo : userInfo.substring(0, colon), false);
      password = colon < 0 ? null : decode(userInfo.substring(colon + 1), false);
    }

    /** Returns the parameters that are left, with their question mark. */
    String fromQuery(String query) {
      List<String> kept = new ArrayList<>();
      for (String parameter : query.split("&", -1)) {
        int equals = parameter.indexOf('=');
        String name = equals < 0 ? parameter : parameter.substring(0, equals);
        String value = equals < 0 ? "" : decode(parameter.substring(equals + 1), jdbc);
        switch (name) {
          case "user" -> user = value;
          case "password" -> password = value;
          case "" -> {}
          default -> {
            if (jdbc) {
              kept.add(name + "=" + encode(value));
            } else if (name.equals("sslrootcert") && value.equals("system")) {
              kept.add(query.contains("sslmode=") ? KNOWN_AUTHORITIES : VERIFIED);
            } else if (!NEEDLESS.contains(name)) {
              kept.add(driversName(name, query) + "=" + encode(driversValue(name, value)));
            }
          }
        }
      }
      return kept.isEmpty() ? "" : "?" + String.join("&", kept);
    }
  }

  /**
   * Returns the driver's name of a parameter. The driver ignores unknown ones, such as a host: it
   * would connect elsewhere.
   */
  private static String driversName(String name, String query) {
    String known = LIBPQ_NAMES.getOrDefault(name, name);
    if (PGProperty.forName(known) != null) {
      return known;
    }
    // If a password has a question mark, the host's at sign is in the query.
    throw bad(
        query.contains("@")
            ? "it has a parameter that the JDBC driver does not know"
            : "it has the parameter " + name + ", which the JDBC driver does not know");
  }

  private static String driversValue(String name, String value) {
    if (!name.equals(TARGET)) {
      return value;
    }
    String type = TARGETS.get(value);
    if (type == null) {
      throw bad("it has a " + TARGET + " that libpq does not know");
    }
    return type;
  }

  private static String hosts(String authority) {
    List<String> hosts = new ArrayList<>();
    for (String address : authority.split(",", -1)) {
      Matcher host = HOST.matcher(address);
      if (!host.matches()) {
        throw bad("it does not name its host as host:port");
      }
      String port = host.group("port");
      if (port != null && (Integer.parseInt(port) < 1 || Integer.parseInt(port) > 65535)) {
        throw bad("its port is not a number from 1 to 65535");
      }
      String name = host.group("host").isEmpty() ? "localhost" : host.group("host");
      hosts.add(name + ":" + (port == null ? "5432" : port));
    }
    return String.join(",", hosts);
  }

  /** Decodes a text. The JDBC driver reads a plus as a blank, libpq does not. */
  private static String decode(String text, boolean plusIsBlank) {
    try {
      return URLDecoder.decode(
          plusIsBlank ? text : text.replace("+", "%2B"), StandardCharsets.UTF_8);
    } catch (IllegalArgumentException e) {
      throw bad("it has a % that is not followed by two hexadecimal digits");
    }
  }

  private static String encode(String text) {
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }

  private static String orEmpty(@Nullable String text) {
    return text == null ? "" : text;
  }

  private static HoldfastException bad(String why) {
    return new HoldfastException(
        "the database URL cannot be read: "
            + why
            + "; set HOLDFAST_DATABASE_URL to postgres://user:password@host:5432/database"
            + " (with / ? # @ : % in the password written as %2F %3F %23 %40 %3A %25)"
            + " or jdbc:postgresql://host:5432/database");
  }
}
