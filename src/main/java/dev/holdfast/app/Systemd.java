package dev.holdfast.app;

import dev.holdfast.process.UnixDatagram;
import java.io.IOException;
import java.net.HttpURLConnection;
import java.net.Proxy;
import java.net.URI;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells systemd that the worker is ready, that it lives and that it stops, as {@code Type=notify}
 * and {@code WatchdogSec=} want it. It lives while {@code /health/live} answers: this process asks
 * itself over HTTP, four times in the watchdog's time, and says nothing when no answer comes. A
 * process that systemd did not start tells nobody.
 */
final class Systemd implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger(Systemd.class);
  private static final int BEATS = 4;

  private final Map<String, String> environment;
  private final @Nullable String socket;
  private @Nullable Thread beats;

  /**
   * @param environment the variables, with {@code NOTIFY_SOCKET}, {@code WATCHDOG_USEC} and {@code
   *     WATCHDOG_PID} where systemd has set them
   */
  Systemd(Map<String, String> environment) {
    this.environment = environment;
    this.socket = environment.get("NOTIFY_SOCKET");
  }

  /**
   * Says that the worker is ready, and from now on that it lives.
   *
   * @param live the address of {@code /health/live}
   */
  void ready(URI live) {
    tell("READY=1");
    Optional<Duration> watchdog = socket == null ? Optional.empty() : watchdog();
    watchdog.ifPresent(
        time ->
            beats =
                Thread.ofPlatform()
                    .daemon()
                    .name("holdfast-watchdog")
                    .start(() -> beat(time.dividedBy(BEATS), live)));
  }

  /** Says that the worker stops. The watchdog is fed on: a drain may take longer than its time. */
  void stopping() {
    tell("STOPPING=1");
  }

  /** Returns the time after which systemd ends a silent process; empty if it does not watch it. */
  private Optional<Duration> watchdog() {
    String own = Long.toString(ProcessHandle.current().pid());
    String micros = environment.get("WATCHDOG_USEC");
    if (micros == null || !environment.getOrDefault("WATCHDOG_PID", own).equals(own)) {
      return Optional.empty();
    }
    try {
      Duration time = Duration.ofNanos(Math.multiplyExact(Long.parseLong(micros), 1000L));
      if (time.isPositive()) {
        return Optional.of(time);
      }
    } catch (NumberFormatException | ArithmeticException e) {
      log.debug("WATCHDOG_USEC", e);
    }
    log.warn("WATCHDOG_USEC is no number of microseconds: {}; the watchdog is not fed", micros);
    return Optional.empty();
  }

  private void beat(Duration interval, URI live) {
    try {
      while (true) {
        if (answers(live, (int) interval.toMillis())) {
          tell("WATCHDOG=1");
        }
        Thread.sleep(interval);
      }
    } catch (InterruptedException e) {
      log.debug("the watchdog is fed no more", e);
    }
  }

  /**
   * Asks over a connection of its own: a kept connection would not notice that no new one is
   * accepted.
   */
  private static boolean answers(URI live, int millis) {
    try {
      HttpURLConnection connection =
          (HttpURLConnection) live.toURL().openConnection(Proxy.NO_PROXY);
      connection.setRequestProperty("Connection", "close");
      connection.setConnectTimeout(Math.max(1, millis));
      connection.setReadTimeout(Math.max(1, millis));
      int status = connection.getResponseCode();
      if (status == 200) {
        return true;
      }
      log.warn("{} answers {}; the watchdog is not fed", live, status);
    } catch (IOException e) {
      log.warn("{} does not answer: {}; the watchdog is not fed", live, e.toString());
    }
    return false;
  }

  private void tell(String state) {
    if (socket == null) {
      return;
    }
    try {
      UnixDatagram.send(socket, state);
    } catch (IOException e) {
      log.warn("systemd was not told {}: {}", state, e.getMessage());
    }
  }

  /** Stops feeding the watchdog. */
  @Override
  public void close() {
    if (beats != null) {
      beats.interrupt();
    }
  }
}
