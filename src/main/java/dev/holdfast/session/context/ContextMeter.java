package dev.holdfast.session.context;

import dev.holdfast.llm.Message;
import dev.holdfast.llm.Usage;
import java.util.List;

/**
 * Measures how full the window is: what the provider counted at the last answer, and an estimate of
 * what has come since. Not thread-safe.
 */
public final class ContextMeter {
  private final long overhead;
  private long tokens;

  /**
   * @param overhead of the system prompt and the tools, which every request carries
   */
  public ContextMeter(long overhead) {
    this.overhead = overhead;
    this.tokens = overhead;
  }

  public void added(Message message) {
    tokens += Tokens.of(message);
  }

  /**
   * Called after the answer itself was added. The estimate stays where nobody counted the prompt.
   */
  public void answered(Usage usage) {
    if (usage.prompt() > 0) {
      tokens = usage.context();
    }
  }

  public void replaced(List<Message> messages) {
    tokens = overhead + Tokens.of(messages);
  }

  public long tokens() {
    return tokens;
  }

  public long overhead() {
    return overhead;
  }
}
