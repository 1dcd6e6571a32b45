package dev.holdfast.app;

import dev.holdfast.config.Settings;
import dev.holdfast.process.ProgramUser;
import dev.holdfast.web.access.Access;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.Base64;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The token of a start without configured ones. Only those who may read the file {@code
 * .holdfast/token} (mode 0600), or were shown a link with it, may use the API and the console.
 * Processes that run in one directory at the same time share it; the first that starts when none
 * runs makes a new one.
 */
final class LocalToken implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(LocalToken.class);
  private static final int BYTES = 32;

  private final String secret;
  private final Path home;
  private final @Nullable FileChannel lock;

  private LocalToken(String secret, Path home, @Nullable FileChannel lock) {
    this.secret = secret;
    this.home = home;
    this.lock = lock;
  }

  /** Makes one that nobody is told, for a port that has nothing which needs a token. */
  static LocalToken toldNobody() {
    return new LocalToken(random(), Path.of(""), null);
  }

  /**
   * Makes one that is kept in a file.
   *
   * @param home usually {@code .holdfast}. Where it cannot be written, only the printed link has
   *     the token.
   */
  static LocalToken in(Path home) {
    try {
      Files.createDirectories(home);
      return shared(home);
    } catch (IOException e) {
      log.warn(
          "the API's token cannot be kept in {}: {}; configure web.tokens to use the API",
          home.resolve("token"),
          e.toString());
      return new LocalToken(random(), home, null);
    }
  }

  private static LocalToken shared(Path home) throws IOException {
    Path file = home.resolve("token");
    requireOurs(home);
    FileChannel channel =
        FileChannel.open(
            home.resolve("token.lock"),
            Set.of(StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE),
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------")));
    try (FileLock alone = channel.tryLock()) {
      if (alone != null || !Files.exists(file)) {
        keepOutOfCommits(home);
        write(file, random());
      }
    } catch (OverlappingFileLockException e) {
      log.debug("another part of this process has made the token");
    }
    return new LocalToken(read(channel, file), home, channel);
  }

  /** Where a worker runs in a project, git would otherwise add the token with all new files. */
  private static void keepOutOfCommits(Path home) throws IOException {
    Path ignores = home.resolve(".gitignore");
    if (Files.notExists(ignores)) {
      Files.writeString(ignores, "*\n");
    }
  }

  /**
   * Refuses a directory that others may change: they could put a token there that they know.
   *
   * @throws IOException if others may change it; the message says whose it is
   */
  private static void requireOurs(Path home) throws IOException {
    Path mine = Files.createTempFile(home, "token", ".new");
    try {
      UserPrincipal me = Files.getOwner(mine);
      PosixFileAttributes directory = Files.readAttributes(home, PosixFileAttributes.class);
      boolean ours = directory.owner().equals(me) || directory.owner().getName().equals("root");
      if (!ours || directory.permissions().contains(PosixFilePermission.OTHERS_WRITE)) {
        throw new IOException(
            "the directory is %s's (%s), and only %s may be able to write there"
                .formatted(
                    directory.owner().getName(),
                    PosixFilePermissions.toString(directory.permissions()),
                    me.getName()));
      }
    } finally {
      Files.delete(mine);
    }
  }

  private static String read(FileChannel channel, Path file) throws IOException {
    try {
      channel.lock(0, Long.MAX_VALUE, true);
    } catch (OverlappingFileLockException e) {
      log.debug("this process uses the token twice");
    }
    return Files.readString(file).strip();
  }

  /**
   * Writes the file. It is never half written, and others can never read it: temporary files are
   * readable by their owner alone.
   */
  private static void write(Path file, String secret) throws IOException {
    Path parent = file.toAbsolutePath().getParent();
    Path made = Files.createTempFile(parent, "token", ".new");
    Files.writeString(made, secret + "\n");
    Files.move(made, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  private static String random() {
    byte[] bytes = new byte[BYTES];
    new SecureRandom().nextBytes(bytes);
    return Base64.getUrlEncoder().withoutPadding().encodeToString(bytes);
  }

  /** Returns the access for those who have the token; they act as this process's user. */
  Access access() {
    return Access.ofThisMachine(
        secret,
        ProgramUser.ownName(),
        home.toAbsolutePath().normalize().toString(),
        InstantSource.system());
  }

  /**
   * Returns the settings of a process that removes the token from everything that leaves the
   * process.
   */
  Settings hiddenBy(Settings settings) {
    return settings.withSecret("local-token", secret);
  }

  /** Returns false where nobody can read the token from a file. */
  boolean isKept() {
    return lock != null;
  }

  /** Returns a link that logs in the browser that opens it. */
  String link(String host, int port) {
    return "http://" + host + ":" + port + "/login?token=" + secret;
  }

  @Override
  public void close() {
    if (lock != null) {
      try {
        lock.close();
      } catch (IOException e) {
        log.debug("the lock of the token", e);
      }
    }
  }
}
