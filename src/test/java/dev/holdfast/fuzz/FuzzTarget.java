package dev.holdfast.fuzz;

import java.nio.charset.StandardCharsets;

/**
 * One parser of foreign text, and what must be true of it for every input.
 *
 * @param name also that of the directory with its inputs
 * @param check throws what the parser throws beyond its own refusals, and an {@link AssertionError}
 *     for a broken promise
 */
public record FuzzTarget(String name, Check check) {
  /** Tries one input. */
  @FunctionalInterface
  public interface Check {
    void on(byte[] input) throws Exception;
  }

  /** A target whose input is text in UTF-8. */
  public static FuzzTarget ofText(String name, TextCheck check) {
    return new FuzzTarget(name, input -> check.on(new String(input, StandardCharsets.UTF_8)));
  }

  /** Tries one input that is text. */
  @FunctionalInterface
  public interface TextCheck {
    void on(String text) throws Exception;
  }

  @Override
  public String toString() {
    return name;
  }

  /**
   * @throws AssertionError that says so, unless it holds
   */
  public static void require(boolean holds, String promise) {
    if (!holds) {
      throw new AssertionError("does not hold: " + promise);
    }
  }
}
