package dev.holdfast.testing;

import java.util.Properties;
import org.postgresql.Driver;

/**
 * A server that is there already, with a superuser.
 *
 * @param address {@code host:port}
 */
record ExternalTestServer(String address, String user, String password)
    implements TestServerSource {

  /** Takes {@code jdbc:postgresql://host:port/database?user=…&password=…}. */
  static ExternalTestServer at(String url) {
    Properties properties = Driver.parseURL(url, new Properties());
    if (properties == null) {
      throw new IllegalArgumentException(
          "test.database must be embedded, docker or"
              + " jdbc:postgresql://host:port/database?user=…&password=…, not "
              + url);
    }
    return new ExternalTestServer(
        properties.getProperty("PGHOST") + ":" + properties.getProperty("PGPORT"),
        properties.getProperty("user", "postgres"),
        properties.getProperty("password", ""));
  }

  @Override
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://" + address + "/" + database;
  }

  @Override
  public void close() {
    // Not ours to stop.
  }
}
