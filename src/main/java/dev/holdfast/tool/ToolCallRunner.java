package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.process.NotPreparedException;
import dev.holdfast.schema.NearestKey;
import dev.holdfast.tool.sandbox.SandboxFailedException;
import java.nio.channels.ClosedByInterruptException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.JsonNode;

/** Runs single calls: finds the tool, checks the arguments, retries, bounds the answer. */
final class ToolCallRunner {
  private static final String NOT_RUN =
      "This call was not run: its program could not be started. Call it again if it is still due.";

  private record Known(Tool tool, Arguments arguments) {}

  private final Map<String, Known> tools = new LinkedHashMap<>();
  private final ToolSettings settings;
  private final ToolRetry retry;
  private final TimeLeft timeLeft;

  /**
   * @throws ConfigurationException if two tools have the same name
   */
  ToolCallRunner(List<Tool> tools, ToolSettings settings, ToolRetry retry, TimeLeft timeLeft) {
    for (Tool tool : tools) {
      String name = tool.spec().name();
      if (this.tools.put(name, new Known(tool, new Arguments(tool.spec()))) != null) {
        throw new ConfigurationException("two tools are named " + name + ": rename one of them");
      }
    }
    this.settings = settings;
    this.retry = retry;
    this.timeLeft = timeLeft;
  }

  /**
   * @throws InterruptedException if this thread was interrupted, or the tool says that it was
   */
  ToolReply run(ToolCall call, ToolProgress progress) throws InterruptedException {
    Known known = tools.get(call.name());
    if (known == null) {
      return modelRetry(
          call,
          0,
          "There is no tool \"%s\": %s. Call one of them."
              .formatted(call.name(), NearestKey.hint(call.name(), tools.keySet())));
    }
    JsonNode arguments;
    try {
      arguments = known.arguments().of(call);
    } catch (ModelRetryException e) {
      return modelRetry(call, 0, ErrorLine.message(e));
    }
    if (!known.tool().isIdempotent()) {
      progress.starting(call);
    }
    progress.running(call);
    return execute(call, known.tool(), arguments, progress);
  }

  private ToolReply execute(ToolCall call, Tool tool, JsonNode arguments, ToolProgress progress)
      throws InterruptedException {
    int[] executions = new int[1];
    try {
      String answer =
          retry.call(
              call,
              tool.isRepeatable(),
              progress,
              attempt -> {
                executions[0] = attempt;
                return attempt(tool, arguments, new ToolContext(call.id(), attempt));
              });
      return reply(call, ToolReply.Outcome.OK, answer, executions[0]);
    } catch (ModelRetryException e) {
      return modelRetry(call, executions[0], ErrorLine.message(e));
    } catch (InterruptedException e) {
      throw e;
    } catch (SandboxFailedException | NotPreparedException e) {
      // The attempt ends. A later one must know that the call did not run, although it was said to
      // start.
      progress.finished(reply(call, ToolReply.Outcome.FAILED, NOT_RUN, executions[0]));
      throw e;
    } catch (Exception e) {
      return failed(call, tool, e, executions[0]);
    }
  }

  private String attempt(Tool tool, JsonNode arguments, ToolContext context) throws Exception {
    String name = tool.spec().name();
    Duration left = timeLeft.get();
    if (!left.isPositive()) {
      throw new GlobalRequestTimeoutException(
          "the attempt's time was over before tool '" + name + "' could run");
    }
    boolean bounded = left.compareTo(settings.callTimeout()) < 0;
    try {
      return BoundedCall.run(
          name,
          () -> tool.call(arguments, context),
          bounded ? left : settings.callTimeout(),
          settings.stopGrace());
    } catch (ClosedByInterruptException e) {
      throw interrupted(e);
    } catch (TimeoutException e) {
      throw bounded && timeLeft.get().isZero()
          ? new GlobalRequestTimeoutException(
              "the attempt's time is over: tool '" + name + "' still ran and was ended", e)
          : ErrorTranslation.of(name, e);
    } catch (Exception e) {
      throw ErrorTranslation.of(name, e);
    }
  }

  private static InterruptedException interrupted(ClosedByInterruptException e) {
    InterruptedException interrupt = new InterruptedException("interrupted while it read or wrote");
    interrupt.initCause(e);
    return interrupt;
  }

  private ToolReply failed(ToolCall call, Tool tool, Exception error, int executions) {
    boolean unknown = !tool.isRepeatable() && RetryRule.mayHaveTakenEffect(error);
    return new ToolReply(
        call,
        unknown ? ToolReply.Outcome.UNKNOWN_EFFECT : ToolReply.Outcome.FAILED,
        bounded(
            unknown
                ? SurfacedFailure.unknownEffect(call, error)
                : SurfacedFailure.of(call, error, executions)),
        executions,
        ToolTrouble.of(error));
  }

  private ToolReply modelRetry(ToolCall call, int executions, String message) {
    return reply(call, ToolReply.Outcome.MODEL_RETRY, message, executions);
  }

  private ToolReply reply(
      ToolCall call, ToolReply.Outcome outcome, String content, int executions) {
    return new ToolReply(call, outcome, bounded(content), executions);
  }

  private String bounded(String content) {
    return BoundedText.of(settings.secrets().redact(content), settings.maxOutput());
  }

  /**
   * Returns a preview. One that fails, for any reason, shows its failure, because the preview is
   * made again each time a session resumes.
   */
  Optional<CallPreview> preview(ToolCall call) throws InterruptedException {
    Known known = tools.get(call.name());
    if (known == null) {
      return Optional.empty();
    }
    JsonNode arguments;
    try {
      arguments = known.arguments().of(call);
    } catch (ModelRetryException e) {
      return Optional.empty();
    }
    try {
      return Optional.of(known.tool().preview(arguments));
    } catch (RuntimeException e) {
      return Optional.of(CallPreview.failing(ErrorLine.message(e), Set.of()));
    }
  }

  List<Tool> tools() {
    return tools.values().stream().map(Known::tool).toList();
  }

  boolean isIdempotent(String name) {
    Known known = tools.get(name);
    return known != null && known.tool().isIdempotent();
  }

  boolean runsAlone(String name) {
    Known known = tools.get(name);
    return known != null && known.tool().runsAlone();
  }
}
