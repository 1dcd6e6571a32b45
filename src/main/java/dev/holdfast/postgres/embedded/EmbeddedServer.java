package dev.holdfast.postgres.embedded;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A PostgreSQL of our own for {@code demo} and {@code worker --embedded}: real, durable, on
 * loopback only, with a generated password. It keeps its data over restarts, and a server that
 * survived the death of its process is found again rather than started twice. Thread-safe; closing
 * twice does nothing.
 */
public final class EmbeddedServer implements AutoCloseable {
  /**
   * The address of a running server.
   *
   * @param jdbcUrl without user and password
   * @param pid of the PostgreSQL process
   * @param directory where its data is
   */
  public record Address(
      String jdbcUrl, String user, String password, int port, long pid, Path directory) {

    /**
     * Returns the address in the form that psql takes.
     *
     * @param login the user, or the user and the password with a colon between them
     */
    public String url(String login) {
      return "postgresql://" + login + "@" + jdbcUrl.substring("jdbc:postgresql://".length());
    }

    /** Returns the file with the password, readable by its owner only. */
    public Path passwordFile() {
      return EmbeddedServerCluster.passwordFile(directory);
    }

    @Override
    public String toString() {
      return jdbcUrl + " (process " + pid + ", data in " + directory + ")";
    }
  }

  private final EmbeddedServerOptions options;
  private final EmbeddedServerControl control;

  /** The record of the server that commands of this home found before this one came. */
  private final @Nullable EmbeddedServerRecord replaced;

  /** A lock for threads of this process; the file's lock is for other processes. */
  private final ReentrantLock changing = new ReentrantLock();

  private volatile EmbeddedServerRecord record;
  private volatile boolean owned;
  private boolean closed;

  private EmbeddedServer(
      EmbeddedServerControl control,
      EmbeddedServerRecord record,
      @Nullable EmbeddedServerRecord replaced,
      boolean owned) {
    this.options = control.options();
    this.control = control;
    this.replaced = replaced;
    this.record = record;
    this.owned = owned;
  }

  /**
   * Starts the server of a directory, or attaches to it if it runs already. Blocks until it
   * answers: 0.2 s, or a few seconds the first time.
   *
   * @throws EmbeddedServerException if that is not possible; the message says what to do
   */
  public static EmbeddedServer start(EmbeddedServerOptions options) {
    return start(options, address -> {});
  }

  /**
   * Does the same; other processes find the server only after it is prepared.
   *
   * @param prepare gets its address; if it fails, the server is left as it was found
   */
  public static EmbeddedServer start(EmbeddedServerOptions options, Consumer<Address> prepare) {
    return start(options, EmbeddedServerAccount.candidates(), prepare);
  }

  static EmbeddedServer start(
      EmbeddedServerOptions options,
      List<EmbeddedServerAccount> accounts,
      Consumer<Address> prepare) {
    try {
      requireRoom(options);
      try (FileChannel channel = openLock(options);
          FileLock lock = channel.lock()) {
        if (!lock.isValid()) {
          throw new IOException("the lock was lost");
        }
        EmbeddedServerBinaries binaries = EmbeddedServerBinaries.unpack(options);
        EmbeddedServerAccount account = EmbeddedServerAccount.choose(accounts, binaries);
        return startLocked(new EmbeddedServerControl(options, binaries, account), prepare);
      }
    } catch (OverlappingFileLockException e) {
      throw new EmbeddedServerException(
          "this process is starting the server of " + options.directory() + " already", e);
    } catch (IOException e) {
      throw new EmbeddedServerException(
          ("cannot use %s for an embedded PostgreSQL (%s); make it writable, make room, or"
                  + " choose another directory")
              .formatted(options.directory(), e),
          e);
    }
  }

  /**
   * Returns the server that was started from this home and really answers, or empty.
   *
   * @param home usually {@code .holdfast} in the working directory; a server's own directory will
   *     do as well
   * @throws EmbeddedServerException if another user has started one, so that only they may know it,
   *     another process is starting or stopping the one in its usual directory, or the one that
   *     runs does not answer
   */
  public static Optional<Address> running(Path home) {
    try {
      Optional<EmbeddedServerRecord> record = EmbeddedServerRecord.read(home);
      Optional<Address> found =
          record.map(EmbeddedServerRecord::address).filter(EmbeddedServerProbe::answers);
      if (found.isEmpty() && isChanging(EmbeddedServerOptions.in(home))) {
        throw new EmbeddedServerException(
            "the worker here is still starting, or is ending: try again");
      }
      if (found.isEmpty() && record.filter(EmbeddedServerRecord::isOfAnotherProcess).isPresent()) {
        throw new EmbeddedServerException(
            ("the database here does not answer; process %s, which has started it, tells in its"
                    + " log why, and starts it again where it can")
                .formatted(record.get().ownerPid()));
      }
      return found;
    } catch (AccessDeniedException e) {
      throw new EmbeddedServerException(
          ("%s belongs to %s and cannot be read, so the database of this directory is theirs; run"
                  + " this as %s, or set HOLDFAST_DATABASE_URL")
              .formatted(e.getFile(), ownerOf(e.getFile()), ownerOf(e.getFile())),
          e);
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /**
   * Returns true if another process holds the lock; processes that only look do not see each other.
   */
  private static boolean isChanging(EmbeddedServerOptions options) {
    try (FileChannel channel = FileChannel.open(lockFile(options), StandardOpenOption.READ);
        FileLock lock = channel.tryLock(0, Long.MAX_VALUE, true)) {
      return lock == null;
    } catch (IOException | OverlappingFileLockException e) {
      return false;
    }
  }

  private static String ownerOf(String file) {
    try {
      return Files.getOwner(Path.of(file)).getName();
    } catch (IOException e) {
      return "another user";
    }
  }

  public Address address() {
    return record.address();
  }

  /**
   * Returns true if another live process started this server, so that {@link #close} leaves it
   * running.
   */
  public boolean attached() {
    return !owned;
  }

  /** Returns a future that is done when the process of the server is gone. */
  public CompletableFuture<?> death() {
    Optional<ProcessHandle> process = ProcessHandle.of(record.pid());
    return process.isPresent() ? process.get().onExit() : CompletableFuture.completedFuture(true);
  }

  /**
   * Starts the server that has died, or attaches to it if another process has started it. Does
   * nothing once this is closed.
   *
   * @throws EmbeddedServerException if that is not possible; the message says what to do
   */
  public void startAgain() {
    changing.lock();
    try {
      if (!closed) {
        requireData();
        EmbeddedServer again = start(options, List.of(control.account()), address -> {});
        record = again.record;
        owned = again.owned;
      }
    } finally {
      changing.unlock();
    }
  }

  /**
   * Requires the data: if its disk went away, a new database in its place would look like lost
   * tickets.
   */
  private void requireData() {
    Path data = EmbeddedServerCluster.data(options.directory());
    if (!Files.exists(data)) {
      throw new EmbeddedServerException(
          data + " is gone, and no new one is made while a worker runs: put it back, or end it");
    }
  }

  /**
   * Stops the server and ends all its sessions, if this process is responsible for it.
   *
   * @throws EmbeddedServerException if it does not stop
   */
  @Override
  public void close() {
    changing.lock();
    try {
      closed = true;
      if (owned) {
        stop();
      }
    } finally {
      changing.unlock();
    }
  }

  private void stop() {
    try (FileChannel channel = openLock(options);
        FileLock lock = channel.lock()) {
      Path data = EmbeddedServerCluster.data(options.directory());
      boolean stillOurs =
          EmbeddedServerPostmaster.read(data)
              .filter(found -> found.pid() == record.pid())
              .isPresent();
      if (lock.isValid() && stillOurs) {
        control.stop(record.pid());
      }
      if (EmbeddedServerRecord.remove(options.home(), record.pid())
          && replaced != null
          && EmbeddedServerProbe.answers(replaced.address())) {
        replaced.write(options.home());
      }
      EmbeddedServerRecord.remove(options.directory(), record.pid());
    } catch (IOException e) {
      throw new EmbeddedServerException(
          "cannot stop the embedded PostgreSQL (" + e + "); end it with: kill -INT " + record.pid(),
          e);
    }
  }

  private static EmbeddedServer startLocked(
      EmbeddedServerControl control, Consumer<Address> prepare) throws IOException {
    EmbeddedServerOptions options = control.options();
    Path data = EmbeddedServerCluster.data(options.directory());
    Optional<EmbeddedServerPostmaster> found = EmbeddedServerPostmaster.read(data);
    if (found.isPresent()) {
      Address address = address(options, found.get());
      if (EmbeddedServerProbe.answers(address)) {
        return attach(control, found.get(), prepare);
      }
      if (found.get().lives(data)) {
        control.stop(found.get().pid());
      }
      found.get().forgetIfReused(data);
    }
    return own(control, control.start(), prepare);
  }

  private static EmbeddedServer attach(
      EmbeddedServerControl control, EmbeddedServerPostmaster running, Consumer<Address> prepare)
      throws IOException {
    Optional<EmbeddedServerRecord> record =
        EmbeddedServerRecord.read(control.options().directory())
            .filter(found -> found.pid() == running.pid())
            .filter(EmbeddedServerRecord::ownerLives);
    if (record.isEmpty()) {
      return own(control, running, prepare);
    }
    prepare.accept(address(control.options(), running));
    return found(control, record.get(), false);
  }

  private static EmbeddedServer own(
      EmbeddedServerControl control, EmbeddedServerPostmaster running, Consumer<Address> prepare)
      throws IOException {
    Path directory = control.options().directory();
    boolean owned = false;
    try {
      Address address = address(control.options(), running);
      EmbeddedServerRecord record = EmbeddedServerRecord.ownedHere(address);
      record.write(directory);
      EmbeddedServerProbe.createDatabase(address);
      prepare.accept(address);
      EmbeddedServer server = found(control, record, true);
      owned = true;
      return server;
    } finally {
      if (!owned) {
        control.stop(running.pid());
        EmbeddedServerRecord.remove(directory, running.pid());
      }
    }
  }

  /** Makes the server findable: the commands of its home find it from now on. */
  private static EmbeddedServer found(
      EmbeddedServerControl control, EmbeddedServerRecord record, boolean owned)
      throws IOException {
    Path home = control.options().home();
    EmbeddedServerRecord replaced = EmbeddedServerRecord.read(home).orElse(null);
    record.write(home);
    return new EmbeddedServer(control, record, replaced, owned);
  }

  private static Address address(EmbeddedServerOptions options, EmbeddedServerPostmaster postmaster)
      throws IOException {
    String password =
        EmbeddedServerFiles.read(EmbeddedServerCluster.passwordFile(options.directory()))
            .orElseThrow(
                () ->
                    new EmbeddedServerException(
                        options.directory()
                            + " has lost its file \"password\"; put it back, or move the directory"
                            + " away"));
    return new Address(
        "jdbc:postgresql://127.0.0.1:" + postmaster.port() + "/" + EmbeddedServerProbe.DATABASE,
        EmbeddedServerCluster.USER,
        password,
        postmaster.port(),
        postmaster.pid(),
        options.directory());
  }

  private static void requireRoom(EmbeddedServerOptions options) throws IOException {
    Files.createDirectories(options.home());
    Files.createDirectories(options.directory());
    if (Files.exists(EmbeddedServerCluster.data(options.directory()))) {
      return;
    }
    long free = Files.getFileStore(options.directory()).getUsableSpace();
    if (free < options.minimumFreeBytes()) {
      throw new EmbeddedServerException(
          "only %s MB are free in %s, %s MB are needed; make room or choose another directory"
              .formatted(free >> 20, options.directory(), options.minimumFreeBytes() >> 20));
    }
  }

  private static FileChannel openLock(EmbeddedServerOptions options) throws IOException {
    return FileChannel.open(lockFile(options), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
  }

  private static Path lockFile(EmbeddedServerOptions options) {
    return options.directory().resolve("lock");
  }
}
