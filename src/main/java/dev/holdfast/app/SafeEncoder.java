package dev.holdfast.app;

import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.holdfast.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;

/** Log lines without secrets, those of stack traces and of libraries too. */
final class SafeEncoder extends PatternLayoutEncoder {
  private final AtomicReference<Secrets> secrets = new AtomicReference<>(Secrets.NONE);

  void hide(Secrets known) {
    secrets.set(known);
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    return secrets.get().redact(layout.doLayout(event)).getBytes(StandardCharsets.UTF_8);
  }
}
