package dev.holdfast.tool.workspace;

import dev.holdfast.tool.SecurityViolationException;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Objects;

/** Turns what a model calls a path into a place inside a directory. */
final class WorkspacePath {
  private WorkspacePath() {}

  static Path resolve(Path root, String text) throws IOException {
    Path relative = parsed(text);
    Path wanted = root.resolve(relative);
    Path existing = wanted;
    while (!Files.exists(existing, LinkOption.NOFOLLOW_LINKS) && !existing.equals(root)) {
      existing = Objects.requireNonNull(existing.getParent());
    }
    Path real = real(existing, text);
    if (!real.startsWith(root)) {
      throw new SecurityViolationException(text + " is a link that leads out of the workspace");
    }
    return root.relativize(real.resolve(existing.relativize(wanted)).normalize());
  }

  private static Path parsed(String text) throws IOException {
    Path path;
    try {
      path = Path.of(text);
    } catch (InvalidPathException e) {
      throw new WrongPathException("\"" + text.replace("\0", "\\0") + "\" is no path.");
    }
    if (path.isAbsolute() || text.startsWith("~/")) {
      throw new SecurityViolationException(
          text + " is an absolute path: only paths relative to the workspace are allowed");
    }
    for (Path name : path) {
      if (name.toString().equals("..")) {
        throw new SecurityViolationException(
            text + " contains \"..\": only paths inside the workspace are allowed");
      }
    }
    return path.normalize();
  }

  private static Path real(Path existing, String text) throws IOException {
    try {
      return existing.toRealPath();
    } catch (NoSuchFileException e) {
      throw new SecurityViolationException(text + " is a link that leads nowhere", e);
    } catch (AccessDeniedException e) {
      throw e;
    } catch (FileSystemException e) {
      if (Files.isSymbolicLink(existing)) {
        throw new SecurityViolationException(text + " is a link that leads to itself", e);
      }
      throw e;
    }
  }
}
