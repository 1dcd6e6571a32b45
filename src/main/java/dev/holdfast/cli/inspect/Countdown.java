package dev.holdfast.cli.inspect;

import dev.holdfast.cli.output.Keyboard;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.read.CurrentWait;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.ticket.IllegalTransitionException;
import dev.holdfast.ticket.NotFoundException;
import dev.holdfast.ticket.TicketState;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The last line of a terminal that watches one ticket: what the ticket waits for, counted down in
 * place. Escape ends the wait (D31). Used by one thread; a hook of the process removes the line
 * when Ctrl-C ends the watch, so that the shell's prompt begins at the start of a line.
 */
final class Countdown implements AutoCloseable {
  private static final String CLEAR = "\r\u001b[K";

  private final Terminal terminal;
  private final Keyboard keyboard;
  private final TicketReader reader;
  private final TicketDesk desk;
  private final long ticketId;
  private final String person;
  private final Thread hook = new Thread(this::end, "countdown");
  private @Nullable CurrentWait shown;
  private boolean ended;

  /**
   * @param backend the backend of one ticket
   * @param person the one who presses the key
   */
  Countdown(Terminal terminal, Keyboard keyboard, Backend backend, long ticketId, String person) {
    this.terminal = terminal;
    this.keyboard = keyboard;
    this.reader = backend.reader();
    this.desk = backend.desk();
    this.ticketId = ticketId;
    this.person = person;
    Runtime.getRuntime().addShutdownHook(hook);
  }

  /** Shows the wait as it is now, and listens for a while. */
  void show(Duration atMost) throws InterruptedException {
    Optional<CurrentWait> wait = reader.currentWait(ticketId);
    clear();
    wait.ifPresent(this::draw);
    if (keyboard.escapePressed(atMost) && isShown()) {
      clear();
      terminal.line(endWait());
    }
  }

  private synchronized void draw(CurrentWait wait) {
    if (ended) {
      return;
    }
    String words = PlainText.oneLine(WaitWords.countdown(wait));
    String way = " " + WaitWords.wayOut(wait);
    int room = Math.max(0, keyboard.columns() - 1 - way.length());
    terminal.out().print((words.length() > room ? words.substring(0, room) : words) + way);
    terminal.out().flush();
    shown = wait;
  }

  private synchronized boolean isShown() {
    return shown != null;
  }

  private String endWait() {
    try {
      return desk.abortRetry(ticketId, person) == TicketState.READY
          ? "#" + ticketId + " is tried now"
          : "ending the retry of #" + ticketId;
    } catch (IllegalTransitionException | NotFoundException e) {
      return PlainText.oneLine(e.getMessage());
    }
  }

  /** Makes room for other lines. */
  synchronized void clear() {
    if (shown != null) {
      terminal.out().print(CLEAR);
      shown = null;
    }
  }

  private synchronized void end() {
    ended = true;
    clear();
    terminal.out().flush();
  }

  @Override
  public void close() {
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException e) {
      // The process ends, and the hook does its part, too.
    }
    end();
    keyboard.close();
  }
}
