package dev.holdfast.llm.scripted;

import dev.holdfast.llm.CallResult;
import dev.holdfast.llm.FailureKind;
import dev.holdfast.llm.StopReason;
import dev.holdfast.llm.ToolCall;
import dev.holdfast.llm.Usage;
import dev.holdfast.llm.wire.Failures;
import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * Reads one step. The caller adds the place to an {@link IllegalArgumentException} that it throws.
 */
final class StepReader {
  private static final Set<String> KEYS =
      Set.of(
          "when",
          "delay",
          "text",
          "reasoning",
          "tool_calls",
          "stop",
          "usage",
          "failure",
          "fail_first");

  private StepReader() {}

  static ScriptStep read(JsonNode step, String place) {
    ScriptReader.known(step, place, KEYS);
    CallResult.Failed failure = step.has("failure") ? failure(step.path("failure"), place) : null;
    if (failure == null && step.has("fail_first")) {
      throw new IllegalArgumentException("fail_first without a failure");
    }
    return new ScriptStep(
        step.has("when") ? Pattern.compile(text(step, "when")) : null,
        duration(step, "delay"),
        text(step, "text"),
        text(step, "reasoning"),
        calls(step.path("tool_calls"), place),
        step.has("stop") ? constant(StopReason.class, text(step, "stop")) : null,
        usage(step.path("usage"), place),
        failure,
        step.has("fail_first") ? number(step, "fail_first") : Integer.MAX_VALUE);
  }

  private static CallResult.Failed failure(JsonNode node, String place) {
    ScriptReader.known(
        node, place + ".failure", Set.of("status", "kind", "message", "code", "retry_after"));
    Duration after = node.has("retry_after") ? duration(node, "retry_after") : null;
    if (node.has("kind")) {
      FailureKind kind = constant(FailureKind.class, text(node, "kind"));
      boolean retryable =
          switch (kind) {
            case AUTH_ERROR, QUOTA_EXCEEDED, CONTEXT_OVERFLOW, OUT_OF_BUDGET -> false;
            case RATE_LIMIT, MODEL_ERROR, NETWORK_ERROR, TIMEOUT, INVALID_RESPONSE -> true;
          };
      return new CallResult.Failed(
          kind, retryable, text(node, "message"), null, null, after, false, null);
    }
    int status = number(node, "status");
    if (status < 400 || status > 599) {
      throw new IllegalArgumentException("a failure needs a kind, or a status from 400 to 599");
    }
    ObjectNode body = JsonMapper.shared().createObjectNode();
    body.putObject("error").put("message", text(node, "message")).put("code", text(node, "code"));
    CallResult.Failed mapped = Failures.ofAnswer(status, body.toString(), Instant.EPOCH);
    return new CallResult.Failed(
        mapped.kind(),
        mapped.retryable(),
        mapped.message(),
        status,
        mapped.code(),
        after == null ? mapped.retryAfter() : after,
        false,
        null);
  }

  private static List<ToolCall> calls(JsonNode list, String place) {
    List<ToolCall> calls = new ArrayList<>();
    for (JsonNode call : list) {
      ScriptReader.known(call, place + ".tool_calls", Set.of("id", "name", "arguments"));
      JsonNode arguments = call.path("arguments");
      String raw =
          arguments.isMissingNode()
              ? "{}"
              : arguments.isString() ? arguments.stringValue() : arguments.toString();
      calls.add(new ToolCall(text(call, "id"), text(call, "name"), raw));
    }
    return calls;
  }

  private static Usage usage(JsonNode node, String place) {
    if (node.isMissingNode()) {
      return Usage.NONE;
    }
    ScriptReader.known(
        node, place + ".usage", Set.of("input", "cache_read", "cache_write", "output"));
    return new Usage(
        number(node, "input"),
        number(node, "cache_read"),
        number(node, "cache_write"),
        number(node, "output"));
  }

  private static String text(JsonNode node, String key) {
    return node.path(key).asString("");
  }

  private static int number(JsonNode node, String key) {
    JsonNode value = node.path(key);
    if (!value.isMissingNode() && (!value.isIntegralNumber() || value.asInt(-1) < 0)) {
      throw new IllegalArgumentException(key + " must be a whole number: " + value);
    }
    return value.asInt(0);
  }

  private static Duration duration(JsonNode node, String key) {
    return node.has(key) ? DurationText.parse(text(node, key)) : Duration.ZERO;
  }

  private static <E extends Enum<E>> E constant(Class<E> type, @Nullable String name) {
    try {
      return Enum.valueOf(type, String.valueOf(name).toUpperCase(Locale.ROOT));
    } catch (IllegalArgumentException e) {
      throw new IllegalArgumentException("\"" + name + "\" is none of its values", e);
    }
  }
}
