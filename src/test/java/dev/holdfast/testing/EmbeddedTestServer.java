package dev.holdfast.testing;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.process.DirectoryTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Our own embedded server, fast instead of durable. {@code -Dtest.postgres.binaries=FILE.jar} runs
 * another PostgreSQL than the one on the classpath.
 */
record EmbeddedTestServer(EmbeddedServer server, Path home) implements TestServerSource {
  private static final Map<String, String> SETTINGS =
      Map.of(
          "fsync", "off",
          "full_page_writes", "off",
          "synchronous_commit", "off",
          "max_connections", "200",
          "timezone", TestServer.TIME_ZONE);

  private static final String PASSWORD = "never-to-be-printed-5xQ8wZr2";

  /**
   * What PostgreSQL keeps of the password. Thousands of connections are made, and a client computes
   * each round of the password's protection: one is enough here.
   */
  private static final String VERIFIER =
      "SCRAM-SHA-256$1:aG9sZGZhc3Q=$"
          + "hNxctS2TYvHK67bqGMk3YODpwCUOqIfWB5B+TO0zjUs=:odvl7UmgiRJ5J1hHHGX5mr5fdgiNFRnsPyk+T9+XTt0=";

  static EmbeddedTestServer start() {
    try {
      Path home = Files.createTempDirectory(TestDirectories.place(), "server-");
      EmbeddedServerOptions options = EmbeddedServerOptions.in(home).withSettings(SETTINGS);
      @Nullable String binaries = System.getProperty("test.postgres.binaries");
      EmbeddedServer server =
          EmbeddedServer.start(
              binaries == null ? options : options.withBinaries(Path.of(binaries)));
      EmbeddedTestServer source = new EmbeddedTestServer(server, home);
      source.makeLoginsCheap();
      // Ctrl-C ends the JVM without a word to JUnit.
      Runtime.getRuntime().addShutdownHook(new Thread(source::close));
      return source;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void makeLoginsCheap() {
    try (Connection connection =
            DriverManager.getConnection(jdbcUrl("postgres"), user(), server.address().password());
        Statement statement = connection.createStatement()) {
      statement.execute("ALTER ROLE %s PASSWORD '%s'".formatted(user(), VERIFIER));
    } catch (SQLException e) {
      throw new IllegalStateException(e);
    }
  }

  @Override
  public String jdbcUrl(String database) {
    return "jdbc:postgresql://127.0.0.1:" + server.address().port() + "/" + database;
  }

  @Override
  public String user() {
    return server.address().user();
  }

  @Override
  public String password() {
    return PASSWORD;
  }

  @Override
  public synchronized void close() {
    if (!Files.exists(home)) {
      return;
    }
    server.close();
    try {
      DirectoryTree.delete(home);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
