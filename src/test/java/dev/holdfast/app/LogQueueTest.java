package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import ch.qos.logback.core.OutputStreamAppender;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class LogQueueTest {
  private static final int MORE_THAN_FIT = 20_000;
  private static final String MISSING = " lines are missing here: the log was not read in time";

  private final LogQueue queue = new LogQueue();
  private final Process reader = new ProcessBuilder("cat").start();
  private final Logger log;

  LogQueueTest() throws IOException {
    LoggerContext context = new LoggerContext();
    context.setMDCAdapter(new LogbackMDCAdapter());
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n");
    encoder.start();
    OutputStreamAppender<ILoggingEvent> output = new OutputStreamAppender<>();
    output.setContext(context);
    output.setEncoder(encoder);
    output.setOutputStream(reader.getOutputStream());
    output.start();
    queue.setContext(context);
    queue.addAppender(output);
    queue.start();
    log = context.getLogger("x");
    log.addAppender(queue);
  }

  @AfterEach
  void end() {
    reader.destroyForcibly();
  }

  private CompletableFuture<List<String>> read() {
    return CompletableFuture.supplyAsync(() -> reader.inputReader().lines().toList());
  }

  private static String line(int number) {
    return String.format(Locale.ROOT, "%0100d", number);
  }

  private static List<String> lines(int number) {
    return IntStream.range(0, number).mapToObj(LogQueueTest::line).toList();
  }

  @Test
  @DisplayName(
      "who logs does not wait for who reads; what found no room is counted where it is missing")
  void unread() throws Exception {
    lines(MORE_THAN_FIT).forEach(log::info);
    CompletableFuture<List<String>> lines = read();
    await().until(() -> queue.getNumberOfElementsInQueue() == 0);
    log.info("last");
    queue.stop();

    assertThat(lines.get()).hasSizeBetween(4000, MORE_THAN_FIT);
    int next = 0;
    for (String each : lines.get()) {
      if (each.endsWith(MISSING)) {
        next += Integer.parseInt(each.substring(0, each.length() - MISSING.length()));
      } else {
        assertThat(each).isEqualTo(next == MORE_THAN_FIT ? "last" : line(next));
        next++;
      }
    }
    assertThat(next).isEqualTo(MORE_THAN_FIT + 1);
  }

  @Test
  @DisplayName("what was logged before the end is written before it, in order")
  void flushed() throws Exception {
    CompletableFuture<List<String>> lines = read();
    lines(1000).forEach(log::info);
    queue.stop();
    assertThat(lines.get()).isEqualTo(lines(1000));
  }

  @Test
  @DisplayName("the end does not wait for a log that nobody reads")
  void unreadEnd() {
    lines(MORE_THAN_FIT).forEach(log::info);
    queue.stop();
    assertThat(queue.isStarted()).isFalse();
  }
}
