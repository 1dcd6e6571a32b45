package dev.holdfast.cli.output;

import java.time.Duration;
import java.time.Instant;
import java.util.Locale;

/**
 * Shows the progress of long work: how much is done, how much a second, and how long the rest may
 * take. On a terminal it rewrites one line, elsewhere it writes a line now and then. Work that ends
 * soon shows nothing. Used by one thread.
 */
public final class Progress {
  private static final Duration ON_TERMINAL = Duration.ofSeconds(1);
  private static final Duration ELSEWHERE = Duration.ofSeconds(10);
  private static final Duration FIRST = Duration.ofSeconds(2);
  private static final int LOOK_EVERY = 64;

  private final Terminal terminal;
  private final String done;
  private final Instant start;
  private Instant next;
  private long count;
  private boolean shown;

  /**
   * @param done what is done, in the past: {@code released}
   */
  public Progress(Terminal terminal, String done) {
    this.terminal = terminal;
    this.done = done;
    this.start = terminal.clock().instant();
    this.next = start.plus(FIRST);
  }

  /**
   * Counts one more.
   *
   * @param part the part of the whole work that is done, 0 to 1; 0 where nobody knows
   */
  public void step(double part) {
    count++;
    if (count % LOOK_EVERY == 0 || count < LOOK_EVERY) {
      look(part);
    }
  }

  /** Counts some more of so many. */
  public void step(int more, long of) {
    count += more;
    look(of == 0 ? 0 : count / (double) of);
  }

  private void look(double part) {
    Instant now = terminal.clock().instant();
    if (!now.isBefore(next)) {
      show(words(Duration.between(start, now), part));
      next = now.plus(terminal.screen().isTerminal() ? ON_TERMINAL : ELSEWHERE);
    }
  }

  /** Counts one more of so many. */
  public void stepOf(long of) {
    step(of == 0 ? 0 : (count + 1) / (double) of);
  }

  /** Makes room for what is printed next. */
  public void end() {
    if (shown && terminal.screen().isTerminal()) {
      terminal.err().print("\r\u001b[K");
      terminal.err().flush();
    }
    shown = false;
  }

  private void show(String words) {
    if (terminal.screen().isTerminal()) {
      int columns = terminal.screen().columns();
      String line = columns == 0 ? words : TextWidth.cut(words, columns - 1);
      terminal.err().print("\r" + line + "\u001b[K");
      terminal.err().flush();
    } else {
      terminal.progress(words);
    }
    shown = true;
  }

  private String words(Duration taken, double part) {
    double seconds = Math.max(taken.toMillis(), 1) / 1000.0;
    double rate = count / seconds;
    String rest = "";
    if (part > 0 && part <= 1) {
      rest =
          String.format(
              Locale.ROOT,
              ", %.0f %%, %s left",
              Math.floor(100 * part),
              time(Math.round(seconds * (1 - part) / part)));
    }
    return String.format(
        Locale.ROOT,
        rate >= 10 ? "%s %,d, %,.0f a second%s" : "%s %,d, %,.1f a second%s",
        done,
        count,
        rate,
        rest);
  }

  private static String time(long seconds) {
    return seconds < 60
        ? seconds + "s"
        : seconds < 3600
            ? seconds / 60 + "m " + seconds % 60 + "s"
            : seconds / 3600 + "h " + seconds / 60 % 60 + "m";
  }
}
