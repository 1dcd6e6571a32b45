package dev.holdfast.handler.design;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.llm.Target;
import dev.holdfast.retry.DurationText;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * One of a design's {@code targets}.
 *
 * @param retry how calls of it are retried outside of an agent's turns, where that differs from the
 *     worker's {@code provider.retry} (E7)
 */
public record DesignTarget(Target target, CallRetryOptions.Overrides retry) {
  /** Reads the targets of a document that is valid by its schema. */
  public static List<DesignTarget> of(JsonNode targets) {
    return targets.valueStream().map(DesignTarget::one).toList();
  }

  private static DesignTarget one(JsonNode node) {
    JsonNode retry = node.path("retry");
    return new DesignTarget(
        new Target(node.path("provider").asString(), node.path("model").asString()),
        new CallRetryOptions.Overrides(
            retry.has("max_retries") ? (Integer) retry.get("max_retries").asInt() : null,
            duration(retry.path("base_delay")),
            duration(retry.path("max_delay")),
            retry.has("factor") ? (Double) retry.get("factor").asDouble() : null));
  }

  private static @Nullable Duration duration(JsonNode node) {
    return node.stringValueOpt().map(DurationText::parse).orElse(null);
  }
}
