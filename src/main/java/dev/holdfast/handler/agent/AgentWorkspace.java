package dev.holdfast.handler.agent;

import dev.holdfast.process.ClosedDirectory;
import dev.holdfast.process.DirectoryTree;
import dev.holdfast.process.MachineLimits;
import dev.holdfast.ticket.Ticket;
import dev.holdfast.tool.workspace.Workspace;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of one ticket's agent. It stays between the attempts of the ticket, so that a
 * resumed session finds what it has made. The attempt whose success ends the ticket deletes it. A
 * ticket that waits for a review keeps it, because the reviewer may want to look, or send it back.
 * After that, {@link WorkspaceSweep} deletes it.
 */
record AgentWorkspace(Path directory, Workspace workspace) {
  private static final Logger log = LoggerFactory.getLogger(AgentWorkspace.class);
  private static final Pattern HALF_MADE = Pattern.compile("new-[0-9]+");

  /**
   * @param copyFrom what a new one begins with
   * @param secrets real paths that are not copied, nor is the directory of workspaces
   * @throws dev.holdfast.process.NotPreparedException if the disk has no room for it
   * @throws IOException if it cannot be made; the message says what to do
   */
  static AgentWorkspace open(Path root, Ticket ticket, Optional<Path> copyFrom, Set<Path> secrets)
      throws IOException, InterruptedException {
    // Another database has a ticket of this number too.
    String name = "ticket-" + ticket.id() + "-" + ticket.createdAt().getEpochSecond();
    Path directory = root.toAbsolutePath().resolve(name);
    if (!Files.isDirectory(directory)) {
      try {
        make(directory, copyFrom, secrets);
      } catch (IOException e) {
        MachineLimits.requireRoom(root.toAbsolutePath(), e);
        throw e;
      }
    }
    return new AgentWorkspace(directory, Workspace.of(directory));
  }

  /** True if a directory's name is that of a workspace which is being made. */
  static boolean isHalfMade(Path directory) {
    return HALF_MADE.matcher(directory.getFileName().toString()).matches();
  }

  /** Makes a workspace under another name first, so that an incomplete copy cannot pass for one. */
  private static void make(Path directory, Optional<Path> copyFrom, Set<Path> secrets)
      throws IOException, InterruptedException {
    Path root = Objects.requireNonNull(directory.getParent());
    Path fresh = fresh(root);
    boolean complete = false;
    try {
      if (copyFrom.isPresent()) {
        Set<Path> leftOut = new HashSet<>(secrets);
        leftOut.add(root.toRealPath());
        copy(copyFrom.get(), fresh, leftOut);
      }
      Files.move(fresh, directory);
      complete = true;
    } finally {
      if (!complete) {
        DirectoryTree.delete(fresh);
      }
    }
  }

  private static Path fresh(Path root) throws IOException {
    try {
      return MachineLimits.directoryIn(root, "new-");
    } catch (IOException e) {
      throw new IOException(
          "cannot make a workspace in " + root + " (" + e + "): make it writable", e);
    }
  }

  private static void copy(Path from, Path to, Set<Path> leftOut)
      throws IOException, InterruptedException {
    Optional<String> hidden = ClosedDirectory.hides(from, "this worker's host");
    if (hidden.isPresent()) {
      throw new IOException(
          "the design's workspace.copy_from " + hidden.get() + " or correct the design");
    }
    if (!Files.isDirectory(from)) {
      throw new IOException(
          "the design's workspace.copy_from "
              + from
              + " is no directory (ENOENT) on this worker's host: create it or correct the design");
    }
    try {
      DirectoryTree.copy(from.toRealPath(), to, leftOut);
    } catch (IOException e) { // Java does not say of which disk
      throw new IOException(
          "the design's workspace.copy_from %s cannot be copied to %s (%s)"
              .formatted(from, to.getParent(), e),
          e);
    }
  }

  void delete() {
    delete(directory);
  }

  static void delete(Path directory) {
    try {
      DirectoryTree.delete(directory);
    } catch (IOException e) {
      log.warn(
          "Workspace {} could not be deleted ({}): delete it by hand", directory, e.toString());
    }
  }
}
