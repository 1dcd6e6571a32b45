package dev.holdfast.handler.agent;

import dev.holdfast.handler.design.DesignPatch;
import dev.holdfast.handler.design.DesignTarget;
import dev.holdfast.retry.DurationText;
import dev.holdfast.schema.Enqueues;
import dev.holdfast.session.SessionSettings;
import dev.holdfast.session.context.ContextSettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.ticket.Review;
import dev.holdfast.tool.mcp.McpServerSpec;
import dev.holdfast.tool.patch.PatchLimits;
import dev.holdfast.tool.sandbox.Network;
import dev.holdfast.worker.ReviewRule;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A design of kind {@code agent}.
 *
 * @param system the system prompt; "" for none
 * @param targets at least one; attempts take them in turn
 * @param tools names of built-in tools
 * @param mcp servers by name, in the design's order
 * @param approval names of tools whose calls a person has to allow, each
 * @param limits of a session
 * @param contextWindow in tokens
 * @param reportSchema what {@code data} of the report must be; null where it has {@code content}
 * @param copyFrom what a new workspace begins with
 * @param timeout of an attempt in all; default {@link #DEFAULT_TIMEOUT}
 * @param review what a success waits for; default a person
 * @param patch what {@code apply_patch} may change
 * @param network what confined programs may reach
 * @param limitsDocument what it says of limits, for those that the configuration has as well
 * @param retryDocument what it says of its sessions' retries, on top of the configuration
 * @param enqueues which tickets its jobs may add
 */
record AgentDesign(
    String system,
    List<DesignTarget> targets,
    List<String> tools,
    Map<String, McpServerSpec> mcp,
    List<String> approval,
    SessionSettings.Limits limits,
    long contextWindow,
    @Nullable JsonNode reportSchema,
    Optional<Path> copyFrom,
    Duration timeout,
    ReviewRule review,
    PatchLimits patch,
    Network network,
    JsonNode limitsDocument,
    JsonNode retryDocument,
    Enqueues enqueues) {
  static final Duration DEFAULT_TIMEOUT = Duration.ofHours(1);

  AgentDesign {
    targets = List.copyOf(targets);
    tools = List.copyOf(tools);
    approval = List.copyOf(approval);
  }

  /**
   * Makes one for a document that is valid by its schema.
   *
   * @param llmTimeout where the design has none
   * @throws dev.holdfast.tool.ConfigurationException if an MCP server is neither a program nor a
   *     URL
   */
  static AgentDesign of(JsonNode document, Duration llmTimeout) {
    JsonNode limits = document.path("limits");
    return new AgentDesign(
        document.path("system").asString(""),
        DesignTarget.of(document.path("targets")),
        document.path("tools").valueStream().map(JsonNode::asString).toList(),
        servers(document),
        document.path("approval").valueStream().map(JsonNode::asString).toList(),
        limits(limits, llmTimeout),
        limits.path("context_window").asLong(ContextSettings.DEFAULT.window()),
        document.path("report").get("schema"),
        document.path("workspace").path("copy_from").stringValueOpt().map(Path::of),
        duration(document.path("timeout"), DEFAULT_TIMEOUT),
        ReviewRule.of(document.path("review"), Review.HUMAN),
        DesignPatch.limits(document),
        Network.of(document.path("network"), Network.NONE),
        limits,
        document.path("session_retry"),
        Enqueues.of(document));
  }

  /** The retry settings for sessions of this design (D26). */
  AutoRetrySettings autoRetry(AutoRetrySettings usual) {
    return new AutoRetrySettings(
        retryDocument.path("enabled").asBoolean(usual.enabled()),
        retryDocument.path("max_retries").asInt(usual.maxRetries()),
        duration(retryDocument.path("base_delay"), usual.baseDelay()),
        usual.wholeNumbers(),
        usual.skipIfExhaustedBelow());
  }

  private static Map<String, McpServerSpec> servers(JsonNode document) {
    Network network = Network.of(document.path("network"), Network.NONE);
    Map<String, McpServerSpec> servers = new LinkedHashMap<>();
    document
        .path("mcp")
        .forEachEntry((name, entry) -> servers.put(name, McpServerSpec.of(entry, network)));
    return servers;
  }

  private static SessionSettings.Limits limits(JsonNode limits, Duration llmTimeout) {
    SessionSettings.Limits defaults = SessionSettings.Limits.DEFAULT;
    return new SessionSettings.Limits(
        limits.path("max_turns").asInt(defaults.maxTurns()),
        limits.path("max_retries").asInt(defaults.maxRetries()),
        duration(limits.path("llm_timeout"), llmTimeout),
        limits.has("max_output_tokens")
            ? Integer.valueOf(limits.get("max_output_tokens").asInt())
            : null,
        limits.has("max_cost_usd") ? limits.get("max_cost_usd").decimalValue() : null);
  }

  private static Duration duration(JsonNode node, Duration otherwise) {
    return node.stringValueOpt().map(DurationText::parse).orElse(otherwise);
  }
}
