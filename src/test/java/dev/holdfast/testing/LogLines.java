package dev.holdfast.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import java.util.List;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What a class logs while it is open. */
public final class LogLines implements AutoCloseable {
  private final Logger logger;
  private final @Nullable Level usual;
  private final ListAppender<ILoggingEvent> lines = new ListAppender<>();

  public LogLines(Class<?> type) {
    this(type.getName());
  }

  private LogLines(String name) {
    // While another thread starts the log, a logger is only a stand-in.
    Awaitility.await().until(() -> LoggerFactory.getILoggerFactory() instanceof LoggerContext);
    logger = (Logger) LoggerFactory.getLogger(name);
    usual = logger.getLevel();
    lines.start();
    logger.addAppender(lines);
  }

  /** Of a class that the test cannot see. */
  public static LogLines named(String className) {
    return new LogLines(className);
  }

  /** Also what is usually not logged. */
  public LogLines downTo(Level level) {
    logger.setLevel(level);
    return this;
  }

  public List<String> of(Level level) {
    return List.copyOf(lines.list).stream()
        .filter(each -> each.getLevel().equals(level))
        .map(ILoggingEvent::getFormattedMessage)
        .toList();
  }

  @Override
  public void close() {
    logger.detachAppender(lines);
    logger.setLevel(usual);
  }
}
