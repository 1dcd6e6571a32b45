package dev.holdfast.cli.output;

import dev.holdfast.queue.DatabaseUnavailableException;
import java.time.Duration;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * Prints a line whenever something in the database has changed, until it has ended or nobody reads
 * the output. If the database cannot be reached, it says so once, and waits for it.
 *
 * @param look reads it again
 * @param words its text now; it has changed when the text has changed
 * @param line what is printed about it
 */
public record ChangeLines<T>(
    Supplier<T> look, Predicate<T> hasEnded, Function<T, String> words, Function<T, String> line) {
  /**
   * The time between two looks. No viewer asks more often; the database counts less often where
   * that is expensive.
   */
  private static final Duration EVERY = Duration.ofSeconds(1);

  /** Follows the changes until the end. The caller has printed {@code first} already. */
  public void follow(Terminal terminal, T first) throws InterruptedException {
    T seen = first;
    String told = words.apply(first);
    LostDatabase lost = new LostDatabase(terminal);
    while (!hasEnded.test(seen) && !terminal.isDeaf()) {
      Thread.sleep(EVERY);
      try {
        seen = look.get();
        lost.found();
      } catch (DatabaseUnavailableException e) {
        lost.tell(e);
      }
      String now = words.apply(seen);
      if (!now.equals(told)) {
        told = now;
        terminal.line(line.apply(seen));
      }
    }
  }
}
