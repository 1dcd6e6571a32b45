package dev.holdfast.handler.agent;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.Allowance;
import dev.holdfast.session.LoopSettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.tool.ToolSettings;
import java.nio.file.Path;
import java.time.Duration;

/**
 * The worker's settings for agents.
 *
 * @param workspaceRoot where the tickets' workspaces are; created when missing ({@code
 *     agents.workspace-root})
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
    Duration llmTimeout,
    int maxCalls,
    AutoRetrySettings autoRetry,
    LoopSettings loops,
    ToolSettings tools,
    Allowance allowance,
    CallRetryOptions callRetry) {
  /** Returns the settings with secrets that are removed from what tools tell models. */
  public AgentSettings withSecrets(Secrets secrets) {
    return new AgentSettings(
        workspaceRoot,
        llmTimeout,
        maxCalls,
        autoRetry,
        loops,
        tools.withSecrets(secrets),
        allowance,
        callRetry);
  }
}
