package dev.holdfast.bench;

import org.jspecify.annotations.Nullable;

/**
 * The bar that a figure is held against.
 *
 * @param of the name of the reference whose ratio is judged; empty if the value itself is judged
 * @param must the bar; null if there is only an aim
 * @param aim what is wanted
 */
public record Bar(String of, Direction direction, @Nullable Double must, double aim) {
  /** The better direction. */
  public enum Direction {
    AT_LEAST,
    AT_MOST
  }

  /** The result against the bar. */
  public enum Outcome {
    /** Better than wanted. */
    AIM,
    /** Good enough. */
    PASS,
    FAIL,
    /** Nothing is expected, or the numbers were too small to judge. */
    NONE
  }

  /** Makes a bar: at least so many times the reference. */
  public static Bar ratio(String of, double must, double aim) {
    return new Bar(of, Direction.AT_LEAST, must, aim);
  }

  /** Makes a bar: at most so many times the reference. */
  static Bar ratioAtMost(String of, double must, double aim) {
    return new Bar(of, Direction.AT_MOST, must, aim);
  }

  static Bar atLeast(double must, double aim) {
    return new Bar("", Direction.AT_LEAST, must, aim);
  }

  /** Makes a bar with an aim only: nothing has to be reached. */
  static Bar wanted(double aim) {
    return new Bar("", Direction.AT_LEAST, null, aim);
  }

  static Bar atMost(double must, double aim) {
    return new Bar("", Direction.AT_MOST, must, aim);
  }

  Outcome judge(double value) {
    if (reaches(value, aim)) {
      return Outcome.AIM;
    }
    return must == null || reaches(value, must) ? Outcome.PASS : Outcome.FAIL;
  }

  private boolean reaches(double value, double bar) {
    return switch (direction) {
      case AT_LEAST -> value >= bar;
      case AT_MOST -> value <= bar;
    };
  }
}
