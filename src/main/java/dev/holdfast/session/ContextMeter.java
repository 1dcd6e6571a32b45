package dev.holdfast.session;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.Usage;
import java.util.List;

/**
 * How full the window is: what the provider counted at the last answer, and an estimate of what has
 * come since. Not thread-safe.
 */
final class ContextMeter {
  private final long overhead;
  private long tokens;

  /**
   * @param overhead of the system prompt and the tools, which every request carries
   */
  ContextMeter(long overhead) {
    this.overhead = overhead;
    this.tokens = overhead;
  }

  void added(Message message) {
    tokens += Tokens.of(message);
  }

  /** Called after the answer itself was added. */
  void answered(Usage usage) {
    if (usage.context() > 0) {
      tokens = usage.context();
    }
  }

  void replaced(List<Message> messages) {
    tokens = overhead + Tokens.of(messages);
  }

  long tokens() {
    return tokens;
  }

  long overhead() {
    return overhead;
  }
}
