package dev.holdfast.app;

import ch.qos.logback.classic.encoder.JsonEncoder;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import dev.holdfast.cli.output.PlainText;
import dev.holdfast.secret.Secrets;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Writes log lines, as text or as JSON, without secrets and without orders to a terminal. This
 * includes the lines of stack traces and of libraries.
 */
final class SafeEncoder extends PatternLayoutEncoder {
  private final AtomicReference<Secrets> secrets = new AtomicReference<>(Secrets.NONE);
  private final JsonEncoder json = new JsonEncoder();
  private volatile boolean asJson;

  @Override
  public void start() {
    json.setContext(context);
    json.setWithSequenceNumber(false);
    json.setWithContext(false);
    json.setWithArguments(false);
    json.setWithMessage(false);
    json.setWithFormattedMessage(true);
    json.start();
    super.start();
  }

  void hide(Secrets known) {
    secrets.set(known);
  }

  /** Sets the format from the next line on. */
  void write(String format) {
    asJson = format.equals("json");
  }

  @Override
  public byte[] encode(ILoggingEvent event) {
    String line =
        asJson ? new String(json.encode(event), StandardCharsets.UTF_8) : layout.doLayout(event);
    return PlainText.lines(secrets.get().redact(line)).getBytes(StandardCharsets.UTF_8);
  }
}
