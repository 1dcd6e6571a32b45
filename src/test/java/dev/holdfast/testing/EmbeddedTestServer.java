package dev.holdfast.testing;

import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerOptions;
import dev.holdfast.process.DirectoryTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Our own embedded server, fast instead of durable. {@code -Dtest.postgres.binaries=FILE.jar} runs
 * another PostgreSQL than the one on the classpath.
 */
record EmbeddedTestServer(EmbeddedServer server, Path home) implements TestServerSource {
  private static final String PREFIX = "holdfast-test-";
  private static final Path MEMORY = Path.of("/dev/shm");

  /** Several times of what all tests need at once. */
  private static final long ROOM_FOR_ALL = 4L << 30;

  private static final Map<String, String> SETTINGS =
      Map.of(
          "fsync", "off",
          "full_page_writes", "off",
          "synchronous_commit", "off",
          "max_connections", "200",
          "timezone", TestServer.TIME_ZONE);

  /**
   * In memory where there is room: hundreds of databases are made and dropped, each of hundreds of
   * files.
   */
  private static Path place() throws IOException {
    boolean fits =
        Files.isWritable(MEMORY) && Files.getFileStore(MEMORY).getUsableSpace() > ROOM_FOR_ALL;
    if (!fits) {
      return Path.of(System.getProperty("java.io.tmpdir"));
    }
    deleteLeftovers();
    return MEMORY;
  }

  static EmbeddedTestServer start() {
    try {
      Path home = Files.createTempDirectory(place(), PREFIX);
      EmbeddedServerOptions options = EmbeddedServerOptions.in(home).withSettings(SETTINGS);
      @Nullable String binaries = System.getProperty("test.postgres.binaries");
      EmbeddedServer server =
          EmbeddedServer.start(
              binaries == null ? options : options.withBinaries(Path.of(binaries)));
      EmbeddedTestServer source = new EmbeddedTestServer(server, home);
      // Ctrl-C ends the JVM without a word to JUnit.
      Runtime.getRuntime().addShutdownHook(new Thread(source::close));
      return source;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
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
    return server.address().password();
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

  /** Runs that were killed leave what they had in memory. */
  private static void deleteLeftovers() throws IOException {
    try (DirectoryStream<Path> homes = Files.newDirectoryStream(MEMORY, PREFIX + "*")) {
      for (Path left : homes) {
        if (isLeft(left.resolve("postgres/data/postmaster.pid"))) {
          DirectoryTree.delete(left);
        }
      }
    }
  }

  private static boolean isLeft(Path pid) throws IOException {
    try {
      return Files.isReadable(pid)
          && ProcessHandle.of(Long.parseLong(Files.readAllLines(pid).getFirst())).isEmpty();
    } catch (NoSuchFileException e) {
      // Its run has just ended it.
      return false;
    }
  }
}
