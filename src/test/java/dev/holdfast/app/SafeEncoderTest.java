package dev.holdfast.app;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.spi.LoggingEvent;
import ch.qos.logback.classic.util.LogbackMDCAdapter;
import dev.holdfast.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SafeEncoderTest {
  private static final LoggerContext CONTEXT = new LoggerContext();

  private static SafeEncoder encoder() {
    CONTEXT.setMDCAdapter(new LogbackMDCAdapter());
    SafeEncoder encoder = new SafeEncoder();
    encoder.setContext(CONTEXT);
    encoder.setPattern("%msg%n%ex");
    encoder.start();
    return encoder;
  }

  @Test
  @DisplayName("issue 20: a line of the log tells no secret, nor does the stack trace below it")
  void lines() {
    SafeEncoder encoder = encoder();
    encoder.hide(Secrets.of(Map.of("hunter2-hünter", "database.password")));
    LoggingEvent event =
        new LoggingEvent(
            "x",
            CONTEXT.getLogger("library"),
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

  @ParameterizedTest
  @ValueSource(strings = {"text", "json"})
  @DisplayName("issue 20: a line of the log gives no orders to the terminal that shows it")
  void orders(String format) {
    SafeEncoder encoder = encoder();
    encoder.write(format);
    String orders = "\u001b[2J\u0007\u009b31m\u009d0;x\u202e";
    LoggingEvent event =
        new LoggingEvent(
            "x",
            CONTEXT.getLogger("library"),
            Level.WARN,
            "it said\t" + orders,
            new IllegalStateException(orders),
            new Object[0]);

    String line = new String(encoder.encode(event), StandardCharsets.UTF_8);

    assertThat(line).contains("it said", "[2J", "31m").endsWith("\n");
    assertThat(line.replaceAll("[\\n\\t]", ""))
        .doesNotContainPattern("[\\p{Cntrl}\\u0080-\\u009f\\u202e]");
  }
}
