package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds repositories in a directory that programs have worked in. Deletes what git would wait for
 * or read without end: pipes, and in repositories also links to devices and huge files.
 */
final class NestedRepositories {
  private static final String GIT = ".git";

  /** Newer versions of git pass over a larger {@code .gitignore}; older ones read it whole. */
  private static final long MOST_BYTES = 100 << 20;

  private NestedRepositories() {}

  /**
   * @return the repositories, relative to the directory, which is not among them itself
   */
  static List<String> findAndClear(Path directory) throws IOException {
    List<String> found = new ArrayList<>();
    List<Path> within = new ArrayList<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
            // A .git that is a file or a link may lead to a repository of any name.
            if (!each.equals(directory) && isRepository(each)) {
              within.add(each);
            }
            return each.endsWith(GIT) ? found(each) : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            boolean isRead = isInRepository(each) || !within.isEmpty();
            boolean isHuge = attributes.size() > MOST_BYTES;
            if (attributes.isOther()
                || (isRead && leadsToDevice(each))
                || (isHuge && (isIgnores(each) || (isRead && !isObject(each))))) {
              delete(each);
              return FileVisitResult.CONTINUE;
            }
            return each.endsWith(GIT) ? found(each) : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path each, IOException e) {
            // Git cannot read it either.
            return FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult postVisitDirectory(Path each, @Nullable IOException e) {
            within.remove(each);
            return FileVisitResult.CONTINUE;
          }

          private FileVisitResult found(Path git) {
            Path repository = Objects.requireNonNull(git.getParent());
            if (!directory.equals(repository) && !isInRepository(repository)) {
              found.add(directory.relativize(repository).toString());
            }
            return FileVisitResult.CONTINUE;
          }

          private boolean isInRepository(Path each) {
            return ("/" + directory.relativize(each) + "/").contains("/" + GIT + "/");
          }
        });
    return found;
  }

  /**
   * True for a repository, and for half of one: what a linked worktree has of its own, or what it
   * shares.
   */
  private static boolean isRepository(Path directory) {
    // Git takes a HEAD that is a dangling link for a branch.
    boolean head = Files.exists(directory.resolve("HEAD"), LinkOption.NOFOLLOW_LINKS);
    return Files.exists(directory.resolve("refs"))
        ? head || Files.exists(directory.resolve("objects"))
        : head && Files.exists(directory.resolve("commondir"));
  }

  private static boolean leadsToDevice(Path file) throws IOException {
    return Files.exists(file)
        && !Files.isRegularFile(file)
        && !Files.isDirectory(file)
        && !file.toRealPath().equals(Path.of("/dev/null"));
  }

  private static boolean isIgnores(Path file) {
    return file.endsWith(".gitignore");
  }

  private static boolean isObject(Path file) {
    return file.toString().contains("/objects/");
  }

  private static void delete(Path file) throws IOException {
    try {
      Files.deleteIfExists(file);
    } catch (AccessDeniedException e) {
      DirectoryTree.open(Objects.requireNonNull(file.getParent()));
      Files.deleteIfExists(file);
    }
  }
}
