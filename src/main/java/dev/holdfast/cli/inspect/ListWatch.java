package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.LostDatabase;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.read.TicketSummary;
import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Prints a list again whenever it changes, until nobody reads it. On a terminal it clears the
 * screen before, and draws the list once a second, because its times go on. In a pipe, lists follow
 * one another with an empty line between them.
 */
final class ListWatch {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final String WIPE = "\u001b[H\u001b[2J\u001b[3J";

  private final Terminal terminal;
  private final LostDatabase lost;
  private @Nullable List<TicketSummary> shown;

  ListWatch(HoldfastCommand root) {
    this.terminal = root.terminal();
    this.lost = new LostDatabase(terminal);
  }

  void follow(Supplier<List<TicketSummary>> rows, Consumer<List<TicketSummary>> print)
      throws InterruptedException {
    while (!terminal.isDeaf()) {
      try {
        look(rows.get(), print);
        lost.found();
      } catch (DatabaseUnavailableException e) {
        lost.tell(e);
      }
      Thread.sleep(EVERY);
    }
  }

  private void look(List<TicketSummary> rows, Consumer<List<TicketSummary>> print) {
    boolean isTerminal = terminal.screen().isTerminal();
    if (isTerminal) {
      terminal.out().print(WIPE);
    } else if (rows.equals(shown)) {
      return;
    } else if (shown != null) {
      terminal.line("");
    }
    shown = rows;
    print.accept(rows);
  }
}
