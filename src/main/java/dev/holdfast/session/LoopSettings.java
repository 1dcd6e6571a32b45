package dev.holdfast.session;

/**
 * The settings for sessions that go round in circles. A step is an answer with the results of its
 * calls; steps are equal where calls and results are. A pair of steps that alternates counts like
 * one step. Equal calls whose results differ count half: that may be a wait for something. Turns in
 * a row whose answers were all of no use count like equal steps.
 *
 * @param nudgeAfter the number of equal steps in a row after which the model is warned once; 0 for
 *     never
 * @param endAfter the number of them that ends the session; 0 for never
 */
public record LoopSettings(int nudgeAfter, int endAfter) {
  public static final LoopSettings DEFAULT = new LoopSettings(3, 5);
  public static final LoopSettings OFF = new LoopSettings(0, 0);

  public LoopSettings {
    if (nudgeAfter < 0 || endAfter < 0 || nudgeAfter == 1 || endAfter == 1) {
      throw new IllegalArgumentException(
          "equal steps are counted from 2 on, 0 is off: " + nudgeAfter + ", " + endAfter);
    }
  }
}
