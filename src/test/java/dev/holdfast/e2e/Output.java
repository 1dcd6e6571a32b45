package dev.holdfast.e2e;

import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What a process prints on one stream, read as it comes. Thread-safe. A read of a pipe holds the
 * thread that carries it: two silent processes would stop all virtual threads of a small machine.
 */
final class Output {
  private final StringBuilder text = new StringBuilder();
  private boolean ended;

  static Output of(InputStream stream) {
    Output output = new Output();
    Thread.ofPlatform().daemon().name("process-output").start(() -> output.read(stream));
    return output;
  }

  private void read(InputStream stream) {
    char[] buffer = new char[8192];
    try (Reader reader = new InputStreamReader(stream, StandardCharsets.UTF_8)) {
      for (int n = reader.read(buffer); n >= 0; n = reader.read(buffer)) {
        add(new String(buffer, 0, n));
      }
    } catch (IOException e) {
      add("\n[unreadable: " + e + "]");
    }
    synchronized (this) {
      ended = true;
      notifyAll();
    }
  }

  private synchronized void add(String part) {
    text.append(part);
    notifyAll();
  }

  synchronized String text() {
    return text.toString();
  }

  /** The first match; empty if the stream ends or the time runs out before there is one. */
  synchronized Optional<MatchResult> await(Pattern pattern, Duration atMost)
      throws InterruptedException {
    long deadline = System.nanoTime() + atMost.toNanos();
    while (true) {
      Matcher matcher = pattern.matcher(text);
      if (matcher.find()) {
        return Optional.of(matcher.toMatchResult());
      }
      long left = deadline - System.nanoTime();
      if (ended || left <= 0) {
        return Optional.empty();
      }
      wait(Math.max(1, left / 1_000_000));
    }
  }

  /** Everything, once the stream has ended. */
  synchronized String whole() throws InterruptedException {
    while (!ended) {
      wait();
    }
    return text.toString();
  }
}
