package dev.holdfast.telemetry.trace;

import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.autoconfigure.AutoConfiguredOpenTelemetrySdk;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.SimpleFormatter;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * OpenTelemetry's SDK as its standard environment variables say ({@code
 * OTEL_EXPORTER_OTLP_ENDPOINT} and the like). Spans go out in batches, on a thread of its own. So
 * code that makes a span never waits for the receiver, and what a receiver does not take is
 * dropped.
 */
public final class TracingSdk implements AutoCloseable {
  private static final Logger log = LoggerFactory.getLogger("dev.holdfast.telemetry.trace.sdk");

  private static final java.util.logging.Logger SDK =
      java.util.logging.Logger.getLogger("io.opentelemetry");

  private static final Map<String, String> DEFAULTS =
      Map.of(
          "otel.service.name", "holdfast",
          "otel.exporter.otlp.protocol", "http/protobuf",
          // Metrics are scraped, logs go to standard error.
          "otel.metrics.exporter", "none",
          "otel.logs.exporter", "none");

  private final OpenTelemetrySdk sdk;
  private final Duration lastSpans;

  private TracingSdk(OpenTelemetrySdk sdk, Duration lastSpans) {
    this.sdk = sdk;
    this.lastSpans = lastSpans;
  }

  /**
   * @param lastSpans how long a receiver may take for what is left at the end
   * @throws RuntimeException where the variables contradict each other or name what is not there
   */
  public static TracingSdk start(Duration lastSpans) {
    logToOurs();
    return new TracingSdk(
        AutoConfiguredOpenTelemetrySdk.builder()
            .addPropertiesSupplier(() -> DEFAULTS)
            .addTracerProviderCustomizer((provider, _) -> provider.setIdGenerator(new TicketIds()))
            .disableShutdownHook()
            .build()
            .getOpenTelemetrySdk(),
        lastSpans);
  }

  /**
   * Sends the SDK's messages to our log. Otherwise the SDK would write past it, in its own form.
   */
  private static void logToOurs() {
    SDK.setUseParentHandlers(false);
    for (Handler each : SDK.getHandlers()) {
      SDK.removeHandler(each);
    }
    SDK.addHandler(new ToOurLog());
  }

  private static final class ToOurLog extends Handler {
    private final SimpleFormatter formatter = new SimpleFormatter();

    @Override
    public void publish(LogRecord line) {
      if (line.getLevel().intValue() >= Level.WARNING.intValue()) {
        log.warn("traces: {}", formatter.formatMessage(line));
      }
    }

    @Override
    public void flush() {}

    @Override
    public void close() {}
  }

  public Tracer tracer() {
    return sdk.getTracer("dev.holdfast");
  }

  /** Sends what is left, and waits for that no longer than {@code lastSpans}. */
  @Override
  public void close() {
    var unused =
        sdk.getSdkTracerProvider().shutdown().join(lastSpans.toMillis(), TimeUnit.MILLISECONDS);
  }
}
