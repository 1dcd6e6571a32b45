package dev.holdfast.e2e;

import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import javax.sql.DataSource;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL with the newest schema that goes away when a test says so, and comes back at the
 * same address. Used by one thread.
 */
final class OwnServer implements AutoCloseable {
  private final EmbeddedServerOptions options;
  private EmbeddedServer server;

  private OwnServer(EmbeddedServerOptions options) {
    this.options = options;
    this.server = EmbeddedServer.start(options);
  }

  static OwnServer start(Path directory) throws IOException {
    OwnServer own =
        new OwnServer(
            EmbeddedServerOptions.in(directory.resolve("server"))
                .withSettings(Map.of("fsync", "off", "port", Integer.toString(freePort()))));
    Migrations.migrate(own.dataSource());
    return own;
  }

  private static int freePort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    }
  }

  DataSource dataSource() {
    return dataSource(server.address());
  }

  static DataSource dataSource(EmbeddedServer.Address address) {
    PGSimpleDataSource source = new PGSimpleDataSource();
    source.setUrl(address.jdbcUrl());
    source.setUser(address.user());
    source.setPassword(address.password());
    return source;
  }

  /** Holdfast with its tickets in this server. */
  Installation install(Path directory) {
    EmbeddedServer.Address address = server.address();
    return new Installation(directory)
        .with("HOLDFAST_DATABASE_URL", address.jdbcUrl())
        .with("HOLDFAST_DATABASE_USER", address.user())
        .with("HOLDFAST_DATABASE_PASSWORD", address.password());
  }

  /** After it was closed. */
  void startAgain() {
    server = EmbeddedServer.start(options);
  }

  @Override
  public void close() {
    server.close();
  }
}
