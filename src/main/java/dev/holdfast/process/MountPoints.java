package dev.holdfast.process;

import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The places in a directory where file systems are mounted. A program of root can mount one in its
 * working directory, and its content is not the program's. Empty where the system has no Linux
 * {@code /proc}.
 *
 * @param directory by the path that it is asked for by
 * @param real the same without links
 * @param mounted real paths
 */
record MountPoints(Path directory, Path real, Set<String> mounted) {
  private static final Path TABLE = Path.of("/proc/self/mountinfo");

  /** The encoding of file names in Java. */
  private static final Charset NAMES = Charset.forName(System.getProperty("sun.jnu.encoding"));

  private static final int PLACE = 4;

  static MountPoints in(Path directory) throws IOException {
    Path real = directory.toRealPath();
    if (!Files.exists(TABLE)) {
      return new MountPoints(directory, real, Set.of());
    }
    Set<String> mounted =
        new String(Files.readAllBytes(TABLE), NAMES)
            .lines()
            .map(line -> plain(line.split(" ", -1)[PLACE]))
            .collect(Collectors.toSet());
    return new MountPoints(directory, real, mounted);
  }

  /** Decodes a name: the kernel writes blanks and backslashes as octal numbers. */
  private static String plain(String name) {
    return name.replace("\\040", " ")
        .replace("\\011", "\t")
        .replace("\\012", "\n")
        .replace("\\134", "\\");
  }

  boolean has(Path path) {
    return !mounted.isEmpty()
        && mounted.contains(real.resolve(directory.relativize(path)).normalize().toString());
  }

  /**
   * @throws IOException if a file system is mounted on the path
   */
  void refuse(Path path) throws IOException {
    if (has(path)) {
      throw new FileSystemException(
          path.toString(), null, "a file system is mounted there: unmount it first");
    }
  }
}
