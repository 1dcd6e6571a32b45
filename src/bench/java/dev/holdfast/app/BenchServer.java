package dev.holdfast.app;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.stream.Stream;

/** An embedded PostgreSQL in a new directory, both gone when it is closed. */
final class BenchServer implements AutoCloseable {
  /**
   * The settings: room for a million tickets, no checkpoint in the middle of a run, and as durable
   * as usual.
   */
  private static final Map<String, String> SETTINGS =
      Map.of("shared_buffers", "1GB", "max_wal_size", "8GB", "max_connections", "300");

  private final EmbeddedServer server;
  private final Path directory;

  private BenchServer(EmbeddedServer server, Path directory) {
    this.server = server;
    this.directory = directory;
  }

  /**
   * @param quick whether to leave the memory of a small machine alone
   */
  static BenchServer start(Path home, boolean quick) {
    try {
      Files.createDirectories(home);
      Path directory = Files.createTempDirectory(home.toAbsolutePath(), "bench-");
      EmbeddedServerOptions options = EmbeddedServerOptions.in(directory);
      EmbeddedServer server =
          EmbeddedServer.start(quick ? options : options.withSettings(SETTINGS));
      return new BenchServer(server, directory);
    } catch (IOException e) {
      throw new HoldfastException(
          "cannot make a directory in "
              + home
              + " ("
              + e
              + "); run it where you may write, or set HOLDFAST_DATABASE_URL",
          e);
    }
  }

  EmbeddedServer.Address address() {
    return server.address();
  }

  @Override
  public void close() {
    server.close();
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path each : files.sorted(Comparator.reverseOrder()).toList()) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new HoldfastException("cannot remove " + directory + " (" + e + "); remove it", e);
    }
  }
}
