package dev.holdfast.config;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Says in words why a file that somebody named cannot be read. */
public final class FileProblem {
  /** The largest size of a file. Nobody writes more by hand; a device may have no end. */
  private static final int MOST_BYTES = 1 << 20;

  private FileProblem() {}

  /**
   * Returns the text of a file of configuration.
   *
   * @throws java.nio.charset.MalformedInputException if it is not UTF-8
   * @throws IOException if it cannot be read, or has more than 1 MiB
   */
  static String text(Path file) throws IOException {
    try (InputStream in = Files.newInputStream(file)) {
      byte[] bytes = in.readNBytes(MOST_BYTES + 1);
      if (bytes.length > MOST_BYTES) {
        throw new IOException("it has more than " + MOST_BYTES + " bytes");
      }
      return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    }
  }

  /**
   * Returns the cause, without the file's name and without a full stop.
   *
   * @param name the file as it was named
   * @param problem what reading it threw
   */
  public static String of(String name, Exception problem) {
    return switch (problem) {
      case NoSuchFileException e -> "there is no such file";
      case AccessDeniedException e -> "this user may not read it";
      case NotDirectoryException e -> "it is no directory";
      case InvalidPathException e -> "that cannot be a file's name";
      default -> isDirectory(name) ? "it is a directory" : String.valueOf(problem.getMessage());
    };
  }

  private static boolean isDirectory(String name) {
    return Files.isDirectory(Path.of(name));
  }
}
