package dev.holdfast.postgres.embedded;

import dev.holdfast.process.DirectoryTree;
import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.JarURLConnection;
import java.net.URI;
import java.net.URL;
import java.net.URLConnection;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Locale;
import java.util.concurrent.locks.ReentrantLock;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.tukaani.xz.XZInputStream;

/**
 * The unpacked PostgreSQL. It is unpacked once and found again by the archive's checksum.
 *
 * @param root the directory that holds {@code bin}, {@code lib} and {@code share}
 */
record EmbeddedServerBinaries(Path root) {
  /** A lock for this process's threads: the lock of a file belongs to the whole process. */
  private static final ReentrantLock UNPACKING = new ReentrantLock();

  String program(String name) {
    return root.resolve("bin").resolve(name).toString();
  }

  boolean hasLibrary(String name) {
    Path libraries = root.resolve("lib/postgresql");
    return Files.exists(libraries.resolve(name + ".so"))
        || Files.exists(libraries.resolve(name + ".dylib"));
  }

  /**
   * Unpacks into the cache, or beside the data if the cache cannot be written.
   *
   * @throws EmbeddedServerException if this platform has no binaries, or there is no room for them
   */
  static EmbeddedServerBinaries unpack(EmbeddedServerOptions options) {
    String archive = archiveName();
    URL url = locate(archive, options.binaries());
    Path cache = writable(options.cache()) ? options.cache() : options.directory();
    try {
      URLConnection connection = url.openConnection();
      connection.setUseCaches(false);
      return unpack(connection, cache.resolve(folderName(archive, connection)));
    } catch (IOException e) {
      throw new EmbeddedServerException(
          ("cannot unpack PostgreSQL into %s (%s); make room there, or set XDG_CACHE_HOME"
                  + " to another directory")
              .formatted(cache, e),
          e);
    }
  }

  private static EmbeddedServerBinaries unpack(URLConnection source, Path target)
      throws IOException {
    UNPACKING.lock();
    try (InputStream raw = source.getInputStream();
        FileChannel channel =
            FileChannel.open(
                target.resolveSibling(target.getFileName() + ".lock"),
                StandardOpenOption.CREATE,
                StandardOpenOption.WRITE);
        FileLock lock = channel.lock()) {
      if (lock.isValid() && !Files.isDirectory(target)) {
        Path partial = target.resolveSibling(target.getFileName() + ".partial");
        DirectoryTree.delete(partial);
        extract(raw, partial);
        Files.move(partial, target, StandardCopyOption.ATOMIC_MOVE);
      }
    } finally {
      UNPACKING.unlock();
    }
    return new EmbeddedServerBinaries(target);
  }

  private static void extract(InputStream raw, Path target) throws IOException {
    try (TarArchiveInputStream tar =
        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(raw)))) {
      for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
        Path path = target.resolve(entry.getName()).normalize();
        if (!path.startsWith(target)) {
          throw new IOException("the archive names a path outside itself: " + entry.getName());
        }
        extract(tar, entry, path);
      }
    }
  }

  private static void extract(TarArchiveInputStream tar, TarArchiveEntry entry, Path path)
      throws IOException {
    if (entry.isDirectory()) {
      createOpenDirectories(path);
      return;
    }
    createOpenDirectories(path.resolveSibling(""));
    if (entry.isSymbolicLink()) {
      Files.createSymbolicLink(path, Path.of(entry.getLinkName()));
      return;
    }
    Files.copy(tar, path);
    String permissions = (entry.getMode() & 0100) == 0 ? "rw-r--r--" : "rwxr-xr-x";
    Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(permissions));
  }

  /**
   * Makes directories that are open to all, whatever the umask: root's binaries are run by another
   * user.
   */
  private static void createOpenDirectories(Path path) throws IOException {
    if (!Files.isDirectory(path)) {
      createOpenDirectories(path.resolveSibling("").normalize());
      try {
        Files.createDirectory(path);
      } catch (FileAlreadyExistsException e) {
        if (!Files.isDirectory(path)) {
          throw e;
        }
        return; // somebody else was faster
      }
      Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
  }

  private static URL locate(String archive, @Nullable Path jar) {
    URL url = EmbeddedServerBinaries.class.getResource("/" + archive);
    if (jar != null) {
      return inside(jar, archive);
    }
    if (url == null) {
      throw new EmbeddedServerException(
          ("this Holdfast brings no PostgreSQL for %s on %s; install PostgreSQL 15 or"
                  + " newer and set HOLDFAST_DATABASE_URL")
              .formatted(System.getProperty("os.name"), System.getProperty("os.arch")));
    }
    return url;
  }

  private static URL inside(Path jar, String archive) {
    try {
      return URI.create("jar:" + jar.toUri() + "!/" + archive).toURL();
    } catch (IOException e) {
      throw new EmbeddedServerException(jar + " is not a jar with PostgreSQL's binaries", e);
    }
  }

  private static String archiveName() {
    String os = System.getProperty("os.name").toLowerCase(Locale.ROOT);
    String arch = System.getProperty("os.arch").toLowerCase(Locale.ROOT);
    String system = os.startsWith("mac") ? "darwin" : "linux";
    String machine = arch.equals("aarch64") || arch.equals("arm64") ? "arm_64" : "x86_64";
    return "postgres-" + system + "-" + machine + ".txz";
  }

  private static String folderName(String archive, URLConnection connection) throws IOException {
    long checksum =
        connection instanceof JarURLConnection inJar
            ? inJar.getJarEntry().getCrc()
            : connection.getContentLengthLong();
    return archive.replace(".txz", "-") + Long.toHexString(checksum);
  }

  private static boolean writable(Path directory) {
    try {
      createOpenDirectories(directory);
      return Files.isWritable(directory);
    } catch (IOException e) {
      return false;
    }
  }
}
