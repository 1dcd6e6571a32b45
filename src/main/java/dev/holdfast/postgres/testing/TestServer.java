package dev.holdfast.postgres.testing;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import javax.sql.DataSource;

/** A PostgreSQL server for tests, in a temporary directory. */
public final class TestServer implements AutoCloseable {
  /** The settings of a server whose data nobody needs after a crash. */
  private static final Map<String, String> HASTY =
      Map.of("fsync", "off", "synchronous_commit", "off", "full_page_writes", "off");

  private final Path directory;
  private final EmbeddedServer server;
  private final WarmDataSource dataSource;
  private final Thread atExit =
      Thread.ofPlatform().name("holdfast-test-server").unstarted(this::stop);

  private TestServer(Path directory, EmbeddedServer server) {
    this.directory = directory;
    this.server = server;
    EmbeddedServer.Address address = server.address();
    this.dataSource = new WarmDataSource(address.jdbcUrl(), address.user(), address.password(), "");
    // The hook stops the server if a test is cut short.
    Runtime.getRuntime().addShutdownHook(atExit);
  }

  /** Starts a server; blocks until it answers. */
  public static TestServer start() {
    try {
      Path directory = Files.createTempDirectory("holdfast-test");
      return new TestServer(
          directory, EmbeddedServer.start(EmbeddedServerOptions.in(directory).withSettings(HASTY)));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns a data source whose sessions are like new. */
  public DataSource dataSource() {
    return dataSource;
  }

  private void stop() {
    dataSource.close();
    server.close();
    try (Stream<Path> all = Files.walk(directory)) {
      List<Path> deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
      for (Path each : deepestFirst) {
        Files.deleteIfExists(each);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Stops the server. A second call does nothing: the hook is gone. */
  @Override
  public void close() {
    if (Runtime.getRuntime().removeShutdownHook(atExit)) {
      stop();
    }
  }
}
