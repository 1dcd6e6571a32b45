package dev.holdfast.llm.scripted;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.ChatRequest;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.Message;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.StreamListener;
import dev.holdfast.llm.Target;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.WireCall;
import dev.holdfast.llm.WireListener;
import dev.holdfast.retry.DurationText;
import dev.holdfast.retry.Sleeper;
import java.math.BigDecimal;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Plays a {@link Script} and asks no model. Every call that it reports has the model {@code
 * scripted/…} and the key {@code scripted}, and costs nothing. Thread-safe.
 */
public final class ScriptedProvider implements ChatProvider {
  /** The name for it in the configuration, and the mark on everything it says. */
  public static final String SCRIPTED = "scripted";

  private static final Logger LOG = LoggerFactory.getLogger(ScriptedProvider.class);

  private final String name;
  private final Script script;
  private final WireListener wire;
  private final Sleeper sleeper;
  private final TryCounts tries = new TryCounts();

  public ScriptedProvider(String name, Script script, WireListener wire, Sleeper sleeper) {
    this.name = name;
    this.script = script;
    this.wire = wire;
    this.sleeper = sleeper;
    LOG.info("the provider {} plays a script; no model is asked", name);
  }

  @Override
  public String name() {
    return name;
  }

  @Override
  public CallResult call(ChatRequest request, StreamListener stream) throws InterruptedException {
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted before the call");
    }
    ScriptStep step = script.step(request).orElse(null);
    CallResult result = step == null ? atItsEnd(request) : play(step, request, stream);
    tell(request, step == null ? Duration.ZERO : step.delay(), result);
    return result;
  }

  private CallResult play(ScriptStep step, ChatRequest request, StreamListener stream)
      throws InterruptedException {
    CallResult.Failed failure = step.failure();
    boolean fails = failure != null && tries.next(request) <= step.failFirst();
    if (step.delay().compareTo(request.timeout()) >= 0) {
      sleeper.sleep(request.timeout());
      return failed(
          FailureKind.TIMEOUT,
          true,
          "no complete answer within " + DurationText.format(request.timeout()));
    }
    if (step.delay().isPositive()) {
      sleeper.sleep(step.delay());
    }
    return fails && failure != null ? failure : answer(step, stream);
  }

  private static CallResult.Answer answer(ScriptStep step, StreamListener stream) {
    if (!step.reasoning().isEmpty()) {
      stream.reasoning(step.reasoning());
    }
    if (!step.text().isEmpty()) {
      stream.text(step.text());
    }
    List<ToolCall> calls = new ArrayList<>();
    for (ToolCall call : step.calls()) {
      stream.toolCallStarted(call.name());
      String id = call.id().isEmpty() ? "call_" + UUID.randomUUID() : call.id();
      calls.add(new ToolCall(id, call.name(), call.arguments()));
    }
    StopReason usual = calls.isEmpty() ? StopReason.END : StopReason.TOOL_CALLS;
    return new CallResult.Answer(
        new Message.Assistant(step.text(), step.reasoning(), calls, null),
        step.stop() == null ? usual : step.stop(),
        step.usage());
  }

  private CallResult.Failed atItsEnd(ChatRequest request) {
    return failed(
        FailureKind.MODEL_ERROR,
        false,
        ("the script of the provider %s is over: it has %s steps in order for the model"
                + " %s, and this conversation already has %s answers")
            .formatted(
                name, script.length(request.model()), request.model(), Script.answers(request)));
  }

  private static CallResult.Failed failed(FailureKind kind, boolean retryable, String message) {
    return new CallResult.Failed(kind, retryable, message, null, null, null, false, null);
  }

  private void tell(ChatRequest request, Duration latency, CallResult result) {
    CallResult.Failed failed = result instanceof CallResult.Failed f ? f : null;
    Usage usage = result instanceof CallResult.Answer answer ? answer.usage() : Usage.NONE;
    WireCall call =
        new WireCall(
            new Target(name, SCRIPTED + "/" + request.model()),
            SCRIPTED,
            failed == null ? null : failed.kind(),
            failed == null ? null : failed.httpStatus(),
            usage,
            BigDecimal.ZERO,
            latency,
            false,
            null);
    try {
      wire.on(call);
    } catch (RuntimeException e) {
      LOG.warn("{}: the listener of wire calls failed", name, e);
    }
  }

  /** A script costs nothing. */
  @Override
  public Optional<BigDecimal> cost(String model, Usage usage) {
    return Optional.of(BigDecimal.ZERO);
  }

  @Override
  public void close() {
    // It holds nothing open.
  }
}
