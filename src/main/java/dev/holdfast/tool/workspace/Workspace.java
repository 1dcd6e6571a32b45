package dev.holdfast.tool.workspace;

import dev.holdfast.tool.SecurityViolationException;
import java.io.IOException;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributeView;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The directory that a session's tools work in. Links are followed as long as they stay inside;
 * {@code ..}, absolute paths and links that lead out are refused (C20).
 *
 * <p>It also guards against a path that is exchanged while it is used. A path is resolved first,
 * and then opened name by name from the root, each relative to the directory opened before and
 * without following any link. It does not guard against hard links, which look like any file. A
 * directory for a new file is made by its path: somebody who exchanges its parent at that very
 * moment gets an empty directory elsewhere, but never the file. It does not guard against programs,
 * which a {@link dev.holdfast.tool.sandbox.Sandbox} confines.
 *
 * <p>Thread-safe.
 */
public final class Workspace {
  private final Path root;

  /** The use of a file's directory. */
  @FunctionalInterface
  interface Action<T> {
    T in(SecureDirectoryStream<Path> directory, Path name) throws IOException, InterruptedException;
  }

  private Workspace(Path root) {
    this.root = root;
  }

  /**
   * @throws IOException if there is no such directory
   */
  public static Workspace of(Path directory) throws IOException {
    Path real = directory.toRealPath();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(real)) {
      secure(stream);
    }
    return new Workspace(real);
  }

  /** Returns its real path. */
  public Path root() {
    return root;
  }

  /**
   * Finds the file that a path leads to.
   *
   * @param path relative; {@code .} or empty is the workspace itself
   * @return relative to the root, without links; empty for the root
   * @throws SecurityViolationException if it leads out of the workspace
   */
  Path resolve(String path) throws IOException {
    return WorkspacePath.resolve(root, path);
  }

  /**
   * Opens a file to read.
   *
   * @throws NoSuchFileException if there is none
   * @throws WrongPathException if it is a directory, a pipe or a device
   */
  SeekableByteChannel open(String path) throws IOException, InterruptedException {
    return in(
        resolve(path),
        false,
        (directory, name) -> {
          BasicFileAttributes attributes = attributes(directory, name);
          refuseIrregular(path, attributes);
          return directory.newByteChannel(
              name, Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS));
        });
  }

  /**
   * Replaces a file as a whole, or makes it, with the directories above it. A reader sees either
   * the old content or the new.
   *
   * @return whether it is a new file
   */
  boolean write(String path, byte[] content) throws IOException, InterruptedException {
    Path target = resolve(path);
    if (target.toString().isEmpty()) {
      throw new WrongPathException("The path names the workspace itself: name a file in it.");
    }
    return in(target, true, (directory, name) -> FileReplacement.write(directory, name, content));
  }

  /** Runs an action in the directory of a resolved path. */
  <T> T in(Path resolved, boolean create, Action<T> action)
      throws IOException, InterruptedException {
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(root)) {
      SecureDirectoryStream<Path> top = secure(stream);
      if (resolved.toString().isEmpty()) {
        return action.in(top, Path.of("."));
      }
      return descend(top, resolved, 0, create, action);
    }
  }

  private <T> T descend(
      SecureDirectoryStream<Path> at, Path path, int depth, boolean create, Action<T> action)
      throws IOException, InterruptedException {
    Path name = path.getName(depth);
    if (depth == path.getNameCount() - 1) {
      return action.in(at, name);
    }
    if (create && attributesOrNull(at, name) == null) {
      make(root.resolve(path.subpath(0, depth + 1)));
    }
    try (SecureDirectoryStream<Path> next = enter(at, name)) {
      return descend(next, path, depth + 1, create, action);
    }
  }

  private static void make(Path directory) throws IOException {
    try {
      Files.createDirectory(directory);
    } catch (FileAlreadyExistsException e) {
      // Another call was faster; opening the path shows what it is.
    }
  }

  /**
   * @throws SecurityViolationException if the name has become a link
   */
  static SecureDirectoryStream<Path> enter(SecureDirectoryStream<Path> at, Path name)
      throws IOException {
    BasicFileAttributes attributes = attributes(at, name);
    if (attributes.isSymbolicLink()) {
      throw new SecurityViolationException(name + " has become a link while it was used");
    }
    if (!attributes.isDirectory()) {
      throw new WrongPathException(name + " is a file, no directory: correct the path.");
    }
    return at.newDirectoryStream(name, LinkOption.NOFOLLOW_LINKS);
  }

  static BasicFileAttributes attributes(SecureDirectoryStream<Path> directory, Path name)
      throws IOException {
    return directory
        .getFileAttributeView(name, BasicFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
        .readAttributes();
  }

  static @Nullable BasicFileAttributes attributesOrNull(
      SecureDirectoryStream<Path> directory, Path name) throws IOException {
    try {
      return attributes(directory, name);
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  static void refuseIrregular(String path, BasicFileAttributes attributes) throws IOException {
    if (attributes.isSymbolicLink()) {
      throw new SecurityViolationException(path + " has become a link while it was used");
    }
    if (attributes.isDirectory()) {
      throw new WrongPathException(path + " is a directory: name a file in it.");
    }
    if (!attributes.isRegularFile()) {
      throw new WrongPathException(path + " is a pipe, socket or device: name a regular file.");
    }
  }

  /**
   * Casts a stream. Each system that Holdfast runs on has secure ones; without them nothing here
   * would be safe.
   */
  private static SecureDirectoryStream<Path> secure(DirectoryStream<Path> stream) {
    if (stream instanceof SecureDirectoryStream<Path> secure) {
      return secure;
    }
    throw new UnsupportedOperationException(
        "this file system cannot open files relative to a directory: use a local one");
  }
}
