package dev.holdfast.tool.git;

/**
 * The end of a run of git.
 *
 * @param exitCode -1 where it was killed because its time was over
 * @param stdout as text; its end where there was more than is kept
 * @param stdoutComplete whether all of it was kept
 * @param stderr its end
 */
public record GitResult(int exitCode, String stdout, boolean stdoutComplete, String stderr) {
  /** The exit code of a run that was killed. */
  public static final int TIMED_OUT = -1;

  public boolean isSuccess() {
    return exitCode == 0;
  }
}
