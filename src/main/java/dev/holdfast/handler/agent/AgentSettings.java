package dev.holdfast.handler.agent;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.session.Allowance;
import dev.holdfast.session.LoopSettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.sandbox.Sandboxes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;

/**
 * The worker's settings for agents.
 *
 * @param workspaceRoot where the tickets' workspaces are; created when missing ({@code
 *     agents.workspace-root})
 * @param environment the worker's own, of which programs get the harmless part
 * @param sandboxes how programs of tools are confined ({@code tools.sandbox})
 * @param llmTimeout of one call of a model, where the design has none ({@code llm.timeout})
 * @param maxCalls of models in one attempt, 0 for no bound ({@code llm.max-calls-per-execution})
 * @param autoRetry of turns ({@code session.retry})
 * @param allowance what tickets and attempts may use where their designs do not say ({@code
 *     limits})
 * @param callRetry of summaries ({@code provider.retry})
 * @param loops when a session goes round in circles ({@code session.loops})
 */
public record AgentSettings(
    Path workspaceRoot,
    Map<String, String> environment,
    Sandboxes sandboxes,
    Duration llmTimeout,
    int maxCalls,
    AutoRetrySettings autoRetry,
    LoopSettings loops,
    ToolSettings tools,
    Allowance allowance,
    CallRetryOptions callRetry) {
  /** Without bounds of the worker's. */
  public AgentSettings(
      Path workspaceRoot,
      Map<String, String> environment,
      Sandboxes sandboxes,
      Duration llmTimeout,
      int maxCalls,
      AutoRetrySettings autoRetry,
      LoopSettings loops,
      ToolSettings tools) {
    this(
        workspaceRoot,
        environment,
        sandboxes,
        llmTimeout,
        maxCalls,
        autoRetry,
        loops,
        tools,
        Allowance.NONE,
        CallRetryOptions.DEFAULTS);
  }

  public AgentSettings {
    environment = Map.copyOf(environment);
  }
}
