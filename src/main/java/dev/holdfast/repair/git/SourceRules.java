package dev.holdfast.repair.git;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.regex.Pattern;

/** Checks what a design says about its repository. */
final class SourceRules {
  private static final Pattern URL =
      Pattern.compile(
          "(?:https?|ssh|git|file)://[^\\s]+|[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^\\s:]\\S*");
  private static final Pattern PASSWORD = Pattern.compile("^[a-z]+://[^/@]*:[^/@]*@.*");
  private static final Pattern NO_REF =
      Pattern.compile(
          "^[-/.].*|.*[\\s~^:?*\\[\\\\\\p{Cntrl}].*|.*\\.\\..*|.*@\\{.*|.*(?:\\.lock|[/.])$");

  private SourceRules() {}

  static Path path(String text) {
    try {
      Path path = Path.of(text);
      if (path.isAbsolute()) {
        return path.normalize();
      }
      throw new RepositoryException(
          "the repository's path " + text + " is relative: write it absolute");
    } catch (InvalidPathException e) {
      throw new RepositoryException("\"" + text + "\" is no path: correct repository.path");
    }
  }

  static String url(String text) {
    if (PASSWORD.matcher(text).matches()) {
      throw new RepositoryException(
          "the repository's URL has a password in it: leave it out, and give the worker's user a"
              + " git credential helper or an SSH key");
    }
    if (text.contains("::") || !URL.matcher(text).matches()) {
      throw new RepositoryException(
          "the repository's URL must begin with https://, http://, ssh://, git:// or file://, or be"
              + " user@host:path");
    }
    return text;
  }

  static String ref(String text) {
    if (text.isEmpty() || NO_REF.matcher(text).matches()) {
      throw new RepositoryException(
          "\"" + text + "\" is no name of a branch, a tag or a commit: correct repository.ref");
    }
    return text;
  }
}
