package dev.holdfast.repair.git;

import dev.holdfast.process.DirectoryTree;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Finds repositories in a directory that programs have worked in, and deletes what git would wait
 * for or read without an end: pipes, and in repositories links to devices.
 */
final class NestedRepositories {
  private static final String GIT = ".git";

  private NestedRepositories() {}

  /** Relative to the directory, which is not among them itself. */
  static List<String> in(Path directory) throws IOException {
    List<String> found = new ArrayList<>();
    Files.walkFileTree(
        directory,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path each, BasicFileAttributes attributes) {
            return each.endsWith(GIT) ? found(each) : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path each, BasicFileAttributes attributes)
              throws IOException {
            if (attributes.isOther() || (isInRepository(each) && leadsToDevice(each))) {
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

  private static boolean leadsToDevice(Path file) {
    return Files.exists(file) && !Files.isRegularFile(file) && !Files.isDirectory(file);
  }

  private static void delete(Path file) throws IOException {
    try {
      Files.deleteIfExists(file);
    } catch (AccessDeniedException e) {
      DirectoryTree.open(Objects.requireNonNull(file.getParent())); // deletes it, too
    }
  }
}
