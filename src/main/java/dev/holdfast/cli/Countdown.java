package dev.holdfast.cli;

import dev.holdfast.queue.CurrentWait;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketReader;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.TicketNotFoundException;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last line of a terminal that watches one ticket: what the ticket waits for, counted down in
 * place. Escape ends the wait (D31). Used by one thread.
 */
final class Countdown implements AutoCloseable {
  private static final String CLEAR = "\r\u001b[K";

  private final Terminal terminal;
  private final Keyboard keyboard;
  private final TicketReader reader;
  private final TicketDesk desk;
  private final long ticketId;
  private final String person;
  private @Nullable CurrentWait shown;

  /** The backend of one ticket, and who presses the key. */
  Countdown(Terminal terminal, Keyboard keyboard, Backend backend, long ticketId, String person) {
    this.terminal = terminal;
    this.keyboard = keyboard;
    this.reader = backend.reader();
    this.desk = backend.desk();
    this.ticketId = ticketId;
    this.person = person;
  }

  /** Shows the wait as it is now, and listens for a while. */
  void show(Duration atMost) throws InterruptedException {
    Optional<CurrentWait> wait = reader.currentWait(ticketId);
    clear();
    wait.ifPresent(this::draw);
    if (keyboard.escapePressed(atMost) && shown != null) {
      clear();
      terminal.line(endWait());
    }
  }

  private void draw(CurrentWait wait) {
    String words = PlainText.oneLine(WaitWords.countdown(wait));
    String way = " " + WaitWords.wayOut(wait);
    int room = Math.max(0, keyboard.columns() - 1 - way.length());
    terminal.out().print((words.length() > room ? words.substring(0, room) : words) + way);
    terminal.out().flush();
    shown = wait;
  }

  private String endWait() {
    try {
      return desk.abortRetry(ticketId, person) == TicketState.READY
          ? "#" + ticketId + " is tried now"
          : "ending the retry of #" + ticketId;
    } catch (IllegalTransitionException | TicketNotFoundException e) {
      return PlainText.oneLine(e.getMessage());
    }
  }

  /** Makes room for other lines. */
  void clear() {
    if (shown != null) {
      terminal.out().print(CLEAR);
      shown = null;
    }
  }

  @Override
  public void close() {
    clear();
    terminal.out().flush();
    keyboard.close();
  }
}
