package dev.holdfast.repair.verify;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * One command of a design's {@code verify}; it passes with exit code 0 and no failure in its
 * report.
 *
 * @param name such as {@code test}; unique in the design
 * @param command a program and its arguments; runs in the worktree's root
 * @param timeout after which it is killed with all that it started
 * @param junit a glob of JUnit XML reports, relative to the root, such as {@code
 *     target/surefire-reports/*.xml}
 */
public record VerifyCommand(
    String name, List<String> command, Duration timeout, Optional<String> junit) {
  public static final Duration DEFAULT_TIMEOUT = Duration.ofMinutes(10);

  public VerifyCommand {
    command = List.copyOf(command);
    if (name.isBlank() || command.isEmpty() || !timeout.isPositive()) {
      throw new IllegalArgumentException("a verify command needs a name, words and a timeout");
    }
  }
}
