package dev.holdfast.app;

import dev.holdfast.config.ConfigException;
import dev.holdfast.llm.WireListener;
import dev.holdfast.queue.NewTicket;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.queue.read.TraceParents;
import dev.holdfast.repair.trace.Trace.Steps;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.telemetry.trace.ModelTracing;
import dev.holdfast.telemetry.trace.SessionTracing;
import dev.holdfast.telemetry.trace.StepTracing;
import dev.holdfast.telemetry.trace.TicketTracing;
import dev.holdfast.telemetry.trace.TracedInbox;
import dev.holdfast.telemetry.trace.TracingSdk;
import dev.holdfast.worker.Tracing;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;

/**
 * The traces of a process. They go to OpenTelemetry if the standard variables name a receiver;
 * otherwise none of its classes is loaded.
 */
sealed interface Traces extends AutoCloseable {
  /**
   * The time for the last spans of a worker. A receiver that does not answer must not hold up its
   * end.
   */
  Duration OF_A_WORKER = Duration.ofSeconds(2);

  Duration OF_A_COMMAND = Duration.ofSeconds(5);

  /**
   * @param lastSpans how long a receiver may take for what is left at the end
   * @throws ConfigException if the variables contradict each other or ask for what is not there
   */
  static Traces of(Map<String, String> environment, Duration lastSpans) {
    return isWanted(environment) ? Sent.start(environment, lastSpans) : new None(environment);
  }

  private static boolean isWanted(Map<String, String> environment) {
    return !environment.getOrDefault("OTEL_SDK_DISABLED", "").equalsIgnoreCase("true")
        && !environment.getOrDefault("OTEL_TRACES_EXPORTER", "").equals("none")
        && List.of(
                "OTEL_EXPORTER_OTLP_ENDPOINT",
                "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
                "OTEL_TRACES_EXPORTER")
            .stream()
            .anyMatch(name -> !environment.getOrDefault(name, "").isBlank());
  }

  Tracing attempts(TraceParents parents);

  List<SessionListener> sessions();

  WireListener calls();

  Steps steps();

  TicketInbox over(TicketInbox inbox);

  @Override
  void close();

  /** Puts what this process enqueues under the trace of the program that started it. */
  private static TicketInbox below(Map<String, String> environment, TicketInbox inbox) {
    String caller = environment.getOrDefault("TRACEPARENT", "");
    return NewTicket.isTraceparent(caller) ? new CallersTrace(inbox, caller) : inbox;
  }

  /** Sends nothing, but keeps what a caller says of its trace. */
  record None(Map<String, String> environment) implements Traces {
    @Override
    public Tracing attempts(TraceParents parents) {
      return Tracing.NONE;
    }

    @Override
    public List<SessionListener> sessions() {
      return List.of();
    }

    @Override
    public WireListener calls() {
      return call -> {};
    }

    @Override
    public Steps steps() {
      return Steps.NONE;
    }

    @Override
    public TicketInbox over(TicketInbox inbox) {
      return below(environment, inbox);
    }

    @Override
    public void close() {}
  }

  /** Sends the traces to the receiver. */
  record Sent(TracingSdk sdk, SessionTracing turns, Map<String, String> environment)
      implements Traces {
    private static Sent start(Map<String, String> environment, Duration lastSpans) {
      try {
        TracingSdk sdk = TracingSdk.start(lastSpans);
        return new Sent(sdk, new SessionTracing(sdk.tracer()), environment);
      } catch (RuntimeException e) {
        throw new ConfigException(
            "traces cannot be sent as the variables OTEL_… say: "
                + why(environment, e)
                + "; OTEL_SDK_DISABLED=true sends none",
            e);
      }
    }

    /**
     * Returns the reason. For grpc, a protocol that it knows but cannot speak, the SDK says only
     * "Unexpected configuration error".
     */
    private static String why(Map<String, String> environment, RuntimeException e) {
      String protocol = environment.getOrDefault("OTEL_EXPORTER_OTLP_PROTOCOL", "");
      return environment.getOrDefault("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", protocol).equals("grpc")
          ? "the one OTEL_EXPORTER_OTLP_PROTOCOL is http/protobuf, not grpc"
          : String.valueOf(e.getMessage());
    }

    @Override
    public Tracing attempts(TraceParents parents) {
      return new TicketTracing(sdk.tracer(), parents, turns, InstantSource.system());
    }

    @Override
    public List<SessionListener> sessions() {
      return List.of(turns);
    }

    @Override
    public WireListener calls() {
      return new ModelTracing(sdk.tracer(), InstantSource.system());
    }

    @Override
    public Steps steps() {
      return new StepTracing(sdk.tracer());
    }

    @Override
    public TicketInbox over(TicketInbox inbox) {
      return below(environment, new TracedInbox(inbox, sdk.tracer()));
    }

    @Override
    public void close() {
      sdk.close();
    }
  }
}
