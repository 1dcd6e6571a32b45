package dev.holdfast.repair.git;

import dev.holdfast.retry.Sleeper;
import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** Reserves a ticket's directory for one attempt on this machine; a crash releases it. */
final class TicketLock implements Closeable {
  private static final Duration AGAIN = Duration.ofMillis(100);

  /** The lock files that this process has. */
  private static final Set<Path> HERE = ConcurrentHashMap.newKeySet();

  private final Path file;
  private final FileChannel channel;

  private TicketLock(Path file, FileChannel channel) {
    this.file = file;
    this.channel = channel;
  }

  /**
   * Takes the lock. Waits for an attempt that is about to end, such as one that a person holds and
   * releases: its programs take a while.
   *
   * @throws RepositoryException if somebody else has it for longer
   */
  static TicketLock of(Path file, Duration wait) throws IOException, InterruptedException {
    long end = System.nanoTime() + wait.toNanos();
    while (true) {
      Optional<TicketLock> lock = tried(file);
      if (lock.isPresent()) {
        return lock.get();
      }
      if (System.nanoTime() - end >= 0) {
        throw taken(file);
      }
      Sleeper.REAL.sleep(AGAIN);
    }
  }

  /**
   * @throws RepositoryException if somebody else has it
   */
  static TicketLock of(Path file) throws IOException {
    return tried(file).orElseThrow(() -> taken(file));
  }

  /**
   * Tries to take the lock. Does not open a file that this process has: closing it again would
   * release the other attempt's lock.
   */
  private static Optional<TicketLock> tried(Path file) throws IOException {
    if (!HERE.add(file)) {
      return Optional.empty();
    }
    FileChannel channel = null;
    boolean locked = false;
    try {
      channel = FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
      locked = channel.tryLock() != null;
      return locked ? Optional.of(new TicketLock(file, channel)) : Optional.empty();
    } finally {
      if (!locked) {
        release(file, channel);
      }
    }
  }

  private static void release(Path file, @Nullable FileChannel channel) throws IOException {
    try {
      if (channel != null) {
        channel.close();
      }
    } finally {
      HERE.remove(file);
    }
  }

  private static RepositoryException taken(Path file) {
    return new RepositoryException(
        "another attempt still works in "
            + file.getParent()
            + ": it ends by itself when its lease is over; if its worker is stopped or hangs, end"
            + " that");
  }

  @Override
  public void close() throws IOException {
    // A second close must not release the next attempt's lock.
    if (channel.isOpen()) {
      release(file, channel);
    }
  }
}
