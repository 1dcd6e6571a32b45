package dev.holdfast.config;

import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;

/** Says in words why a file that somebody named cannot be read. */
public final class FileProblem {
  private FileProblem() {}

  /**
   * The cause, without the file's name and without a full stop.
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
