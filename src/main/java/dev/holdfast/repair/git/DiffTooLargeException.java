package dev.holdfast.repair.git;

import java.io.IOException;

/** The diff is longer than what is kept of git's output, so its beginning would be missing. */
public final class DiffTooLargeException extends IOException {
  private static final long serialVersionUID = 1L;

  DiffTooLargeException() {
    super("all changes together are larger than 8 MiB, with the lines around them");
  }
}
