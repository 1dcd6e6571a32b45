package dev.holdfast.repair.verify;

import java.util.List;

/**
 * One run of one command.
 *
 * @param name of the command
 * @param passed exit code 0 and no failing test
 * @param end {@code exit code 1}, {@code timed out after 300 s}, {@code cannot start mvn: ...}
 * @param tests how many its reports tell of; 0 without reports
 * @param failing what failed; empty if it passed
 * @param output both outputs as printed, beginning and end of what is long (at most 64 KiB)
 */
public record CheckRun(
    String name, boolean passed, String end, int tests, List<FailingCheck> failing, String output) {
  /** What fails where a command passes, and its reports tell of no test. */
  static final String NO_TEST = "no test was run";

  public CheckRun {
    failing = List.copyOf(failing);
  }

  /** It would have passed, were there a test in its reports. */
  public boolean lacksTests() {
    return tests == 0 && failing.size() == 1 && failing.getFirst().name().equals(NO_TEST);
  }
}
