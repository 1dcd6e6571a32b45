package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import dev.holdfast.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class SafeEncoderTest {
  @Test
  @DisplayName("issue 20: a line of the log tells no secret, nor does the stack trace below it")
  void lines() {
    LoggerContext context = new LoggerContext();
    SafeEncoder encoder = new SafeEncoder();
    encoder.setContext(context);
    encoder.setPattern("%msg%n%ex");
    encoder.start();
    encoder.hide(Secrets.of(Map.of("hunter2-hünter", "database.password")));
    LoggingEvent event =
        new LoggingEvent(
            "x",
            context.getLogger("library"),
            Level.WARN,
            "login with {} failed",
            new IllegalStateException("bad password hunter2-hünter"),
            new Object[] {"hunter2-hünter"});

    String line = new String(encoder.encode(event), StandardCharsets.UTF_8);

    assertThat(line)
        .startsWith("login with [redacted:database.password] failed")
        .contains("bad password [redacted:database.password]")
        .doesNotContain("hunter2");
  }
}
