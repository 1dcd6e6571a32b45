package dev.holdfast.worker.output;

/** One output of a program, read while it is written. Thread-safe. */
@FunctionalInterface
public interface OutputSource {
  /**
   * Text in whole characters.
   *
   * @param from where it begins, in bytes; more than was asked for if the beginning is gone
   * @param to where it ends
   */
  record Piece(long from, long to, String text) {}

  /**
   * Returns the output since a place.
   *
   * @param position in bytes from the beginning of the output
   * @param most how many bytes at most: the last ones
   * @param ended whether no more comes, so that half a character at the end is no reason to wait
   */
  Piece since(long position, int most, boolean ended);
}
