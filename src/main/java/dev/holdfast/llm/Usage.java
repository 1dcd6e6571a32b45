package dev.holdfast.llm;

/**
 * Tokens of one call, as the provider counted them. The parts of the input do not overlap.
 *
 * @param input read afresh
 * @param cacheRead read from the provider's prompt cache
 * @param cacheWrite written to it
 * @param output written, reasoning included
 */
public record Usage(long input, long cacheRead, long cacheWrite, long output) {
  public static final Usage NONE = new Usage(0, 0, 0, 0);

  public Usage plus(Usage other) {
    return new Usage(
        input + other.input,
        cacheRead + other.cacheRead,
        cacheWrite + other.cacheWrite,
        output + other.output);
  }

  /** The part of the context window that the conversation took. */
  public long context() {
    return input + cacheRead + cacheWrite + output;
  }
}
