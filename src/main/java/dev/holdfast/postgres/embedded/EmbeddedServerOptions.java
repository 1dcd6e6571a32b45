package dev.holdfast.postgres.embedded;

import dev.holdfast.process.ProgramUser;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The options of an {@link EmbeddedServer}. Immutable.
 *
 * @param home where {@code embedded.json} is kept, the address that other commands look up
 * @param directory where the data, the password and the server's log are kept
 * @param cache where the unpacked binaries are kept; shared by all servers of this user
 * @param binaries a jar with the binaries of another PostgreSQL; null takes those on the classpath
 * @param settings further lines of postgresql.conf; they win over the defaults
 * @param minimumFreeBytes the least free space with which a new database is made
 */
public record EmbeddedServerOptions(
    Path home,
    Path directory,
    Path cache,
    @Nullable Path binaries,
    Map<String, String> settings,
    long minimumFreeBytes) {

  /**
   * The usual least space: initial data and write-ahead log take about 40 MB; the rest is room to
   * work.
   */
  private static final long DEFAULT_MINIMUM_FREE_BYTES = 128L << 20;

  /** A cache for root: its own is closed to the user that root has to run PostgreSQL as. */
  private static final Path SYSTEM_CACHE = Path.of("/var/cache");

  public EmbeddedServerOptions {
    home = home.toAbsolutePath().normalize();
    directory = directory.toAbsolutePath().normalize();
    cache = cache.toAbsolutePath().normalize();
    settings = Map.copyOf(settings);
    for (String name : settings.keySet()) {
      if (!name.matches("[a-z_][a-z0-9_.]*")) {
        throw new IllegalArgumentException("\"" + name + "\" is not a PostgreSQL setting");
      }
    }
  }

  /**
   * Returns the defaults: data in {@code postgres} below {@code home}, binaries in the user's
   * cache, or below {@code home} if the user has none.
   *
   * @param home usually {@code .holdfast} in the working directory
   */
  public static EmbeddedServerOptions in(Path home) {
    return new EmbeddedServerOptions(
        home,
        home.resolve("postgres"),
        userCache(home),
        null,
        Map.of(),
        DEFAULT_MINIMUM_FREE_BYTES);
  }

  public EmbeddedServerOptions withDirectory(Path newDirectory) {
    return new EmbeddedServerOptions(
        home, newDirectory, cache, binaries, settings, minimumFreeBytes);
  }

  public EmbeddedServerOptions withCache(Path newCache) {
    return new EmbeddedServerOptions(
        home, directory, newCache, binaries, settings, minimumFreeBytes);
  }

  public EmbeddedServerOptions withBinaries(Path jar) {
    return new EmbeddedServerOptions(home, directory, cache, jar, settings, minimumFreeBytes);
  }

  public EmbeddedServerOptions withSettings(Map<String, String> newSettings) {
    return new EmbeddedServerOptions(
        home, directory, cache, binaries, newSettings, minimumFreeBytes);
  }

  EmbeddedServerOptions withMinimumFreeBytes(long bytes) {
    return new EmbeddedServerOptions(home, directory, cache, binaries, settings, bytes);
  }

  private static Path userCache(Path home) {
    if (ProgramUser.ownUid() == 0 && Files.isDirectory(SYSTEM_CACHE)) {
      return SYSTEM_CACHE.resolve("holdfast");
    }
    String xdg = System.getenv("XDG_CACHE_HOME");
    return xdg != null && Path.of(xdg).isAbsolute()
        ? Path.of(xdg, "holdfast")
        : cache(System.getProperty("user.home"), home);
  }

  /** Returns the cache. Java gives "?" for a user without a home that the system knows. */
  static Path cache(String userHome, Path home) {
    Path known = Path.of(userHome);
    return known.isAbsolute() ? known.resolve(".cache/holdfast") : home.resolve("cache");
  }
}
