package dev.holdfast.app;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.ConsoleAppender;
import ch.qos.logback.core.joran.spi.ConsoleTarget;
import org.slf4j.LoggerFactory;

/**
 * The program's own log: one line per message on standard error, with the ticket, the attempt and
 * the turn that it is about where there are any. Set up here and not by a {@code logback.xml},
 * because an XML parser costs a start a tenth of a second, and because a file in the jar would be
 * taken for its own by an application that embeds the worker.
 */
final class LogOutput {
  private static final String PATTERN =
      "%d{yyyy-MM-dd'T'HH:mm:ss.SSSXXX} %-5level %logger{24} -%replace( ticket=%X{ticket}"
          + " attempt=%X{attempt} turn=%X{turn} trace=%X{trace_id}){'"
          + " (ticket|attempt|turn|trace)=(?= |$)', ''}"
          + " %replace(%msg){'[\\r"
          + "\\n"
          + "\\t]+', ' '}%n%ex{6}";

  private static final String DIRECT = "holdfast-stderr";
  private static final String QUEUED = "holdfast-queue";

  private LogOutput() {}

  /**
   * Sets up the log. Does nothing where {@code -Dlogback.configurationFile} names a file of the
   * user's.
   *
   * @param level the level of our own messages, as {@link LogLevel} says; other libraries log
   *     warnings
   * @return the encoder, which must learn the secrets once they are known
   */
  static SafeEncoder configure(String level) {
    SafeEncoder encoder = new SafeEncoder();
    if (System.getProperty("logback.configurationFile") != null) {
      return encoder;
    }
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    context.reset();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    ConsoleAppender<ILoggingEvent> output = new ConsoleAppender<>();
    output.setContext(context);
    output.setName(DIRECT);
    output.setTarget(ConsoleTarget.SystemErr.getName());
    output.setEncoder(encoder);
    output.start();
    Logger root = root(context);
    root.setLevel(Level.WARN);
    root.addAppender(output);
    context.getLogger("dev.holdfast").setLevel(Level.toLevel(level, Level.WARN));
    return encoder;
  }

  /**
   * Makes sure that from now on nobody who logs waits for the reader of the log. This is for
   * commands that run long: short commands write their log lines between those that they print.
   */
  static void neverWait() {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    Appender<ILoggingEvent> direct = root(context).getAppender(DIRECT);
    if (direct == null) {
      return;
    }
    LogQueue queue = new LogQueue();
    queue.setContext(context);
    queue.setName(QUEUED);
    queue.addAppender(direct);
    queue.start();
    root(context).addAppender(queue);
    root(context).detachAppender(direct);
  }

  /** Ends the log: writes what {@link #neverWait} has left to do, for a second at most. */
  static void end() {
    Appender<ILoggingEvent> queue =
        root((LoggerContext) LoggerFactory.getILoggerFactory()).getAppender(QUEUED);
    if (queue != null) {
      queue.stop();
    }
  }

  private static Logger root(LoggerContext context) {
    return context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
  }
}
