package dev.holdfast.repair.verify;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/** The reports that a command writes. Those of an earlier run are deleted before it starts. */
final class ReportFiles {
  private static final int MAX_FILES = 5000;
  private static final long MAX_BYTES = 20 << 20;

  /** The part {@code **}{@code /} of a glob, which to Java means at least one directory. */
  private static final Pattern ANY_DEPTH = Pattern.compile("(?<=^|[/{,])\\*\\*/");

  /**
   * The most globs that are made. Their number doubles with each part; parts beyond keep Java's
   * meaning.
   */
  private static final int MAX_GLOBS = 64;

  private final Path root;
  private final List<PathMatcher> matchers;

  /**
   * @param glob relative to the root; {@code **}{@code /} is any number of directories, or none
   */
  ReportFiles(Path root, String glob) {
    this.root = root;
    this.matchers =
        globs(glob).stream()
            .map(each -> root.getFileSystem().getPathMatcher("glob:" + each))
            .toList();
  }

  /** Returns the globs with and without each such part. */
  private static List<String> globs(String glob) {
    List<String> globs = new ArrayList<>(List.of(""));
    String between = "";
    for (String part : ANY_DEPTH.split(glob, -1)) {
      List<String> longer = new ArrayList<>();
      for (String each : globs) {
        longer.add(each + between + part);
        if (!between.isEmpty() && globs.size() < MAX_GLOBS) {
          longer.add(each + part);
        }
      }
      globs = longer;
      between = "**/";
    }
    return globs;
  }

  /**
   * Returns the reports in the order of their names, as regular files of a readable size; no link
   * is followed.
   */
  List<Path> find() throws IOException {
    List<Path> found = new ArrayList<>();
    Files.walkFileTree(
        root,
        new SimpleFileVisitor<>() {
          @Override
          public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes) {
            return directory.endsWith(".git")
                ? FileVisitResult.SKIP_SUBTREE
                : FileVisitResult.CONTINUE;
          }

          @Override
          public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) {
            if (attributes.isRegularFile() && matches(root.relativize(file))) {
              found.add(file);
            }
            return found.size() < MAX_FILES ? FileVisitResult.CONTINUE : FileVisitResult.TERMINATE;
          }

          @Override
          public FileVisitResult visitFileFailed(Path file, IOException e) {
            return FileVisitResult.CONTINUE;
          }
        });
    found.sort(null);
    return found;
  }

  private boolean matches(Path file) {
    return matchers.stream().anyMatch(each -> each.matches(file));
  }

  /**
   * Deletes only the reports, because a broad glob also matches what the build needs.
   *
   * @return the files that match and are no reports
   */
  Set<Path> delete() throws IOException {
    Set<Path> others = new HashSet<>();
    for (Path file : find()) {
      if (TestReport.isReport(file)) {
        Files.deleteIfExists(file);
      } else {
        others.add(file);
      }
    }
    return others;
  }

  /**
   * @throws IOException if it is too large or no report
   */
  TestReport read(Path file) throws IOException {
    if (Files.size(file) > MAX_BYTES) {
      throw new IOException("larger than 20 MiB");
    }
    return TestReport.read(file);
  }

  String name(Path file) {
    return root.relativize(file).toString();
  }
}
