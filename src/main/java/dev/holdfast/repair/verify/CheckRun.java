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
  /** The name of the failure where a command passes but its reports contain no test. */
  static final String NO_TEST = "no test was run";

  public CheckRun {
    failing = List.copyOf(failing);
  }

  /** True if only the lack of tests in its reports made it fail. */
  public boolean lacksTests() {
    return tests == 0 && failing.size() == 1 && failing.getFirst().name().equals(NO_TEST);
  }
}
