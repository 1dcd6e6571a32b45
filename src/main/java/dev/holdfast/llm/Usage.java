package dev.holdfast.llm;

/**
 * Tokens of one call, as the provider counted them. The parts of the input do not overlap. None is
 * below zero or beyond 10^12: a provider says what it likes, and no sum may overflow by it.
 *
 * @param input read afresh
 * @param cacheRead read from the provider's prompt cache
 * @param cacheWrite written to it
 * @param output written, reasoning included
 */
public record Usage(long input, long cacheRead, long cacheWrite, long output) {
  private static final long MOST = 1_000_000_000_000L;

  public static final Usage NONE = new Usage(0, 0, 0, 0);

  public Usage {
    input = Math.clamp(input, 0, MOST);
    cacheRead = Math.clamp(cacheRead, 0, MOST);
    cacheWrite = Math.clamp(cacheWrite, 0, MOST);
    output = Math.clamp(output, 0, MOST);
  }

  public Usage plus(Usage other) {
    return new Usage(
        input + other.input,
        cacheRead + other.cacheRead,
        cacheWrite + other.cacheWrite,
        output + other.output);
  }

  /** All that was read; 0 where the provider did not count it, for no prompt is empty. */
  public long prompt() {
    return input + cacheRead + cacheWrite;
  }

  /** The part of the context window that the conversation took. */
  public long context() {
    return prompt() + output;
  }
}
