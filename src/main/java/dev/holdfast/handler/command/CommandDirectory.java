package dev.holdfast.handler.command;

import dev.holdfast.process.ClosedDirectory;
import dev.holdfast.process.DirectoryTree;
import dev.holdfast.process.MachineLimits;
import dev.holdfast.process.ProgramUser;
import dev.holdfast.ticket.ClaimedTicket;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory that one attempt's program runs in: its design's directory, or a fresh one that is
 * deleted when the attempt ends, however it ends.
 *
 * @param own whether it is the fresh one
 */
record CommandDirectory(Path directory, boolean own) implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(CommandDirectory.class);

  /**
   * @throws dev.holdfast.process.NotPreparedException if the disk has no room for an own one
   * @throws IOException if the design's directory is missing, an own one cannot be made, or the
   *     user cannot enter it
   */
  static CommandDirectory open(
      ClaimedTicket claimed, Optional<Path> wanted, Path root, Optional<ProgramUser> user)
      throws IOException, InterruptedException {
    if (wanted.isPresent()) {
      return given(wanted.get(), user);
    }
    CommandDirectory place = own(claimed, root, user);
    try {
      if (user.isPresent() && !user.get().mayEnter(place.directory())) {
        throw new IOException(
            user.get().name()
                + " cannot enter the working directories under "
                + root.toAbsolutePath()
                + " (EACCES): set handlers.command.workspaces to a place that this user may enter");
      }
      return place;
    } catch (IOException | InterruptedException e) {
      place.close();
      throw e;
    }
  }

  private static CommandDirectory own(ClaimedTicket claimed, Path root, Optional<ProgramUser> user)
      throws IOException {
    try {
      // A sweep finds it by this name where the worker was killed (WorkspaceSweep.Of).
      long created = claimed.ticket().createdAt().getEpochSecond();
      String prefix =
          "ticket-" + claimed.id() + "-" + created + "-attempt-" + claimed.attempt() + "-";
      Path directory = MachineLimits.directoryIn(root.toAbsolutePath(), prefix);
      if (user.isPresent()) {
        user.get().own(directory);
      }
      return new CommandDirectory(directory, true);
    } catch (IOException e) {
      throw new IOException(
          "cannot make a working directory under %s (%s): make the directory writable"
              .formatted(root, e),
          e);
    }
  }

  private static CommandDirectory given(Path directory, Optional<ProgramUser> user)
      throws IOException, InterruptedException {
    if (!Files.exists(directory)) {
      throw new IOException(
          "the design's directory "
              + ClosedDirectory.hides(directory, "this worker's host")
                  .orElse(directory + " does not exist (ENOENT) on this worker's host: create it")
              + " or correct the design");
    }
    if (!Files.isDirectory(directory)
        || !Files.isExecutable(directory)
        || (user.isPresent() && !user.get().mayEnter(directory))) {
      throw new IOException(
          ("the design's directory %s cannot be entered (EACCES): it must be a directory"
                  + " that %s may enter")
              .formatted(directory, user.map(ProgramUser::name).orElse("the worker")));
    }
    return new CommandDirectory(directory, false);
  }

  @Override
  public void close() {
    if (!own) {
      return;
    }
    try {
      DirectoryTree.delete(directory);
    } catch (IOException e) {
      log.warn(
          "Working directory {} could not be deleted ({}): delete it by hand",
          directory,
          e.toString());
    }
  }
}
