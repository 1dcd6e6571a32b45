package dev.holdfast.app;

import ch.qos.logback.classic.AsyncAppender;
import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.LoggingEvent;
import java.util.Map;

/**
 * Lets one thread write the log, so that nobody who logs waits for the reader of the log: a
 * terminal that Ctrl-S has stopped would stop every agent, and the worker's end. Lines that find no
 * room are left out and counted, and the count stands in the log where they are missing.
 */
final class LogQueue extends AsyncAppender {
  private static final int LINES = 4096;

  /** The room for two lines: the one with the count and the one after it. */
  private static final int ROOM = 2;

  private int leftOut;

  LogQueue() {
    setQueueSize(LINES);
    setDiscardingThreshold(0);
    setNeverBlock(true);
  }

  @Override
  protected synchronized void append(ILoggingEvent line) {
    if (getRemainingCapacity() < ROOM) {
      leftOut++;
      return;
    }
    tellWhatIsMissing();
    super.append(line);
  }

  private void tellWhatIsMissing() {
    if (leftOut > 0) {
      super.append(missing(leftOut));
      leftOut = 0;
    }
  }

  private ILoggingEvent missing(int lines) {
    Logger log = ((LoggerContext) getContext()).getLogger(LogQueue.class);
    LoggingEvent event =
        new LoggingEvent(
            LogQueue.class.getName(),
            log,
            Level.WARN,
            "{} lines are missing here: the log was not read in time",
            null,
            new Object[] {lines});
    event.setMDCPropertyMap(Map.of());
    return event;
  }

  /** Writes what is left. If nobody reads the log, this gives up after a second. */
  @Override
  public void stop() {
    synchronized (this) {
      if (isStarted() && getRemainingCapacity() >= ROOM) {
        tellWhatIsMissing();
      }
    }
    super.stop();
  }
}
