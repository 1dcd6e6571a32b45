package dev.holdfast.tool.workspace;

import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.AccessDeniedException;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Visits everything under a path of the workspace, in the order of the names. It follows no link
 * and enters no {@code .git}. An interrupt ends it with {@link InterruptedException}.
 */
final class WorkspaceWalk {
  private static final int MAX_DEPTH = 64;
  private static final int MAX_ENTRIES = 100_000;

  private final Visitor visitor;

  /** Takes each file that is found. The path is relative to the workspace. */
  interface Visitor {
    /**
     * @return false to end the walk
     */
    boolean visit(String path, BasicFileAttributes attributes, Opener opener)
        throws IOException, InterruptedException;

    /** Takes a path that is passed over, such as one that the worker's user may not look into. */
    void passOver(String path, String why);
  }

  /** Opens the visited file; only during the visit. */
  interface Opener {
    SeekableByteChannel open() throws IOException;
  }

  private WorkspaceWalk(Visitor visitor) {
    this.visitor = visitor;
  }

  /**
   * @throws WrongPathException if the path is no directory and no regular file
   */
  static void of(Workspace workspace, String path, Visitor visitor)
      throws IOException, InterruptedException {
    Path start = workspace.resolve(path);
    WorkspaceWalk walk = new WorkspaceWalk(visitor);
    workspace.in(start, false, (directory, name) -> walk.start(directory, name, start));
  }

  private boolean start(SecureDirectoryStream<Path> directory, Path name, Path start)
      throws IOException, InterruptedException {
    BasicFileAttributes attributes = Workspace.attributes(directory, name);
    if (!attributes.isDirectory()) {
      Workspace.refuseIrregular(start.toString(), attributes);
      return visit(directory, name, start.toString(), attributes);
    }
    try (SecureDirectoryStream<Path> inside = Workspace.enter(directory, name)) {
      return walk(inside, start.toString(), 0);
    }
  }

  private boolean walk(SecureDirectoryStream<Path> directory, String prefix, int depth)
      throws IOException, InterruptedException {
    List<Path> names = names(directory);
    for (Path name : names.subList(0, Math.min(names.size(), MAX_ENTRIES))) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted while it looked at " + prefix);
      }
      String path = prefix.isEmpty() ? name.toString() : prefix + "/" + name;
      try {
        if (!look(directory, name, path, depth)) {
          return false;
        }
      } catch (AccessDeniedException e) {
        visitor.passOver(path, "not readable");
      }
    }
    if (names.size() > MAX_ENTRIES) {
      visitor.passOver(
          prefix.isEmpty() ? "." : prefix,
          "only " + MAX_ENTRIES + " of its entries were looked at");
    }
    return true;
  }

  private boolean look(SecureDirectoryStream<Path> directory, Path name, String path, int depth)
      throws IOException, InterruptedException {
    BasicFileAttributes attributes = Workspace.attributesOrNull(directory, name);
    return attributes == null // It has gone meanwhile.
        || (visit(directory, name, path, attributes)
            && descend(directory, name, path, attributes, depth));
  }

  private boolean descend(
      SecureDirectoryStream<Path> directory,
      Path name,
      String path,
      BasicFileAttributes attributes,
      int depth)
      throws IOException, InterruptedException {
    if (!attributes.isDirectory() || name.toString().equals(".git")) {
      return true;
    }
    if (depth >= MAX_DEPTH) {
      visitor.passOver(path, "too deep to be looked into: begin there");
      return true;
    }
    try (SecureDirectoryStream<Path> inside = Workspace.enter(directory, name)) {
      return walk(inside, path, depth + 1);
    }
  }

  private boolean visit(
      SecureDirectoryStream<Path> directory, Path name, String path, BasicFileAttributes attributes)
      throws IOException, InterruptedException {
    return visitor.visit(
        path,
        attributes,
        () ->
            directory.newByteChannel(
                name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS)));
  }

  /** Returns the names in their order; one more than the limit where there are more. */
  private static List<Path> names(SecureDirectoryStream<Path> directory) {
    List<Path> names = new ArrayList<>();
    for (Path entry : directory) {
      names.add(entry.getFileName());
      if (names.size() > MAX_ENTRIES) {
        break;
      }
    }
    names.sort(null);
    return names;
  }
}
