package dev.holdfast.tool;

import dev.holdfast.llm.ToolCall;
import dev.holdfast.schema.NearestKey;
import java.nio.channels.ClosedByInterruptException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/** Runs single calls: finds the tool, checks the arguments, retries, bounds the answer. */
final class ToolCallRunner {
  private record Known(Tool tool, Arguments arguments) {}

  private final Map<String, Known> tools = new LinkedHashMap<>();
  private final ToolSettings settings;
  private final ToolRetry retry;

  /**
   * @throws ConfigurationException if two tools have the same name
   */
  ToolCallRunner(List<Tool> tools, ToolSettings settings, ToolRetry retry) {
    for (Tool tool : tools) {
      String name = tool.spec().name();
      if (this.tools.put(name, new Known(tool, new Arguments(tool.spec()))) != null) {
        throw new ConfigurationException("two tools are named " + name + ": rename one of them");
      }
    }
    this.settings = settings;
    this.retry = retry;
  }

  /**
   * @throws InterruptedException if this thread was interrupted, or the tool says that it was
   * @throws UserAbortException the tool's own
   */
  ToolOutcome run(ToolCall call, ToolProgress progress) throws InterruptedException {
    Known known = tools.get(call.name());
    if (known == null) {
      return modelRetry(
          call,
          0,
          "There is no tool \""
              + call.name()
              + "\": "
              + NearestKey.hint(call.name(), tools.keySet())
              + ". Call one of them.");
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
    return execute(call, known.tool(), arguments);
  }

  private ToolOutcome execute(ToolCall call, Tool tool, JsonNode arguments)
      throws InterruptedException {
    int[] executions = new int[1];
    try {
      String answer =
          retry.call(
              call.name(),
              tool.isRepeatable(),
              attempt -> {
                executions[0] = attempt;
                return attempt(tool, arguments, new ToolContext(call.id(), attempt));
              });
      return new ToolOutcome(reply(call, ToolReply.Outcome.OK, answer, executions[0]), null);
    } catch (ModelRetryException e) {
      return modelRetry(call, executions[0], ErrorLine.message(e));
    } catch (UserAbortException | InterruptedException e) {
      throw e;
    } catch (Exception e) {
      return failed(call, tool, e, executions[0]);
    }
  }

  private String attempt(Tool tool, JsonNode arguments, ToolContext context) throws Exception {
    String name = tool.spec().name();
    try {
      return BoundedCall.run(
          name, () -> tool.call(arguments, context), settings.callTimeout(), settings.stopGrace());
    } catch (ClosedByInterruptException e) {
      throw interrupted(e);
    } catch (Exception e) {
      throw ErrorTranslation.of(name, e);
    }
  }

  private static InterruptedException interrupted(ClosedByInterruptException e) {
    InterruptedException interrupt = new InterruptedException("interrupted while it read or wrote");
    interrupt.initCause(e);
    return interrupt;
  }

  private ToolOutcome failed(ToolCall call, Tool tool, Exception error, int executions) {
    boolean unknown = !tool.isRepeatable() && RetryRule.mayHaveTakenEffect(error);
    SurfacedFailure shown =
        unknown
            ? SurfacedFailure.unknownEffect(call, error)
            : SurfacedFailure.of(call, error, executions);
    ToolReply.Outcome outcome =
        unknown ? ToolReply.Outcome.UNKNOWN_EFFECT : ToolReply.Outcome.FAILED;
    return new ToolOutcome(reply(call, outcome, shown.text(), executions), error);
  }

  private ToolOutcome modelRetry(ToolCall call, int executions, String message) {
    return new ToolOutcome(reply(call, ToolReply.Outcome.MODEL_RETRY, message, executions), null);
  }

  private ToolReply reply(
      ToolCall call, ToolReply.Outcome outcome, String content, int executions) {
    return new ToolReply(call, outcome, BoundedText.of(content, settings.maxOutput()), executions);
  }

  Optional<CallPreview> preview(ToolCall call) throws InterruptedException {
    Known known = tools.get(call.name());
    if (known == null) {
      return Optional.empty();
    }
    try {
      return Optional.of(known.tool().preview(known.arguments().of(call)));
    } catch (ModelRetryException e) {
      return Optional.empty();
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
