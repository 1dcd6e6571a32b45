package dev.holdfast.process;

/**
 * The bounds on what is kept of a program's output, in bytes.
 *
 * @param head of the beginning of each output
 * @param stdout of the end of stdout
 * @param stderr of the end of stderr
 * @param merged whether both go into stdout, in the order in which they were printed
 */
public record OutputLimits(int head, int stdout, int stderr, boolean merged) {
  /** Keeps the ends of both outputs. */
  public static OutputLimits ends(int stdout, int stderr) {
    return new OutputLimits(0, stdout, stderr, false);
  }

  /** Keeps the beginning and the end of both outputs as one. */
  public static OutputLimits merged(int head, int tail) {
    return new OutputLimits(head, tail, 0, true);
  }
}
