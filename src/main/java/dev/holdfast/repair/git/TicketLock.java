package dev.holdfast.repair.git;

import java.io.Closeable;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** Keeps a ticket's directory to one attempt on this machine; a crash lets go of it. */
final class TicketLock implements Closeable {
  private final FileChannel channel;

  private TicketLock(FileChannel channel) {
    this.channel = channel;
  }

  /**
   * @throws RepositoryException if somebody else has it
   */
  static TicketLock of(Path file) throws IOException {
    FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE);
    try {
      FileLock lock = channel.tryLock();
      if (lock != null) {
        return new TicketLock(channel);
      }
    } catch (OverlappingFileLockException e) {
      // The other one is in this process.
    } catch (IOException e) {
      channel.close();
      throw e;
    }
    channel.close();
    throw new RepositoryException(
        "another attempt still works in "
            + file.getParent()
            + ": it ends by itself when its lease is over");
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
