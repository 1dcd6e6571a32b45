package dev.holdfast.tool.patch;

import dev.holdfast.tool.patch.PatchResult.Kind;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The directory that a patch is for. Each path that is asked about has passed {@link PathSafety};
 * no link is followed.
 */
final class PatchTarget {
  /** The largest file: no model has seen a larger one as text. */
  private static final int MAX_BYTES = 10 << 20;

  private static final Pattern SUBMODULE = Pattern.compile("[ \\t]*+path[ \\t]*+=(.+)");

  private final Path root;
  private final List<String> submodules;

  /**
   * @throws IOException if there is no such directory
   */
  PatchTarget(Path directory) throws IOException {
    this.root = directory.toRealPath();
    if (!Files.isDirectory(root)) {
      throw new NotDirectoryException(directory.toString());
    }
    this.submodules = submodules(root.resolve(".gitmodules"));
  }

  Path root() {
    return root;
  }

  /** True if there is a regular file of that name, reached without any link. */
  boolean isFile(String path) {
    try {
      PathSafety.check(path);
      return linkOn(path).isEmpty()
          && Files.isRegularFile(root.resolve(path), LinkOption.NOFOLLOW_LINKS);
    } catch (PatchRejection | InvalidPathException e) {
      return false;
    }
  }

  /**
   * @throws PatchRejection if the path may not be written
   */
  void check(String path) throws PatchRejection {
    PathSafety.check(path);
    Optional<String> link;
    try {
      link = linkOn(path);
    } catch (InvalidPathException e) {
      throw PathSafety.unsafe(path, "is no path that this machine can write");
    }
    if (link.isPresent()) {
      throw PathSafety.unsafe(
          path,
          link.get().equals(path)
              ? "is a symbolic link: change the file that it leads to"
              : "goes through the symbolic link " + link.get() + ": write the real path");
    }
    for (String submodule : submodules) {
      if (path.equals(submodule) || path.startsWith(submodule + "/")) {
        throw PathSafety.unsafe(path, "is in the submodule " + submodule);
      }
    }
    checkKind(path);
  }

  private void checkKind(String path) throws PatchRejection {
    Path file = root.resolve(path);
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(file)) {
      throw misfit(path + " is a directory or a special file: name a regular file.");
    }
    for (Path above = file.getParent();
        above != null && above.startsWith(root);
        above = above.getParent()) {
      if (Files.exists(above) && !Files.isDirectory(above)) {
        throw misfit(root.relativize(above) + " is a file, so there is no " + path + ".");
      }
    }
  }

  private static PatchRejection misfit(String why) {
    return new PatchRejection(Kind.DOES_NOT_APPLY, why + " Nothing was changed.");
  }

  /**
   * @throws PatchRejection if it is too large
   */
  byte[] read(String path) throws IOException, PatchRejection {
    Path file = root.resolve(path);
    if (Files.size(file) > MAX_BYTES) {
      throw new PatchRejection(
          Kind.TOO_LARGE, path + " is larger than 10 MiB: a patch may not change it.");
    }
    return Files.readAllBytes(file);
  }

  private Optional<String> linkOn(String path) {
    Path at = root;
    StringBuilder walked = new StringBuilder();
    for (String name : path.split("/", -1)) {
      at = at.resolve(name);
      walked.append(walked.isEmpty() ? "" : "/").append(name);
      if (Files.isSymbolicLink(at)) {
        return Optional.of(walked.toString());
      }
    }
    return Optional.empty();
  }

  private static List<String> submodules(Path file) throws IOException {
    List<String> paths = new ArrayList<>();
    if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS) && Files.size(file) <= MAX_BYTES) {
      try {
        for (String line : Files.readAllLines(file)) {
          Matcher matcher = SUBMODULE.matcher(line);
          if (matcher.matches()) {
            String path = matcher.group(1).replace("\"", "").strip();
            paths.add(path.endsWith("/") ? path.substring(0, path.length() - 1) : path);
          }
        }
      } catch (FileSystemException e) {
        throw e;
      } catch (IOException e) {
        return paths; // No UTF-8: git would not understand it either.
      }
    }
    return paths;
  }
}
