package dev.holdfast.config;

import dev.holdfast.llm.CallRetryOptions;
import dev.holdfast.session.LoopSettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.tool.ToolRetrySettings;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.sandbox.SandboxMode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * The settings for tickets of kind {@code agent}.
 *
 * @param providers of models
 * @param llmTimeout of one call, where a design says nothing
 * @param maxCalls of models in one attempt; 0 for no bound
 * @param autoRetry of turns
 * @param loops when a session goes round in circles
 * @param sandbox whether programs of tools are confined, those of repairs too
 * @param spend what is shared with other workers about providers, and budgets
 * @param workspaceRoot where each ticket's agent gets a directory of its own
 * @param callRetry of calls outside of turns, of repairs too
 */
public record AgentSettings(
    List<ProviderEntry> providers,
    Duration llmTimeout,
    int maxCalls,
    AutoRetrySettings autoRetry,
    LoopSettings loops,
    ToolSettings tools,
    SandboxMode sandbox,
    SpendSettings spend,
    Path workspaceRoot,
    CallRetryOptions callRetry) {
  public AgentSettings {
    providers = List.copyOf(providers);
  }

  static AgentSettings of(Values values) {
    int width = values.get(SessionKeys.TOOLS_WIDTH);
    ToolSettings tools =
        ToolSettings.defaults()
            .withRetry(
                ToolRetrySettings.defaults()
                    .withMaxAttempts(values.get(SessionKeys.TOOLS_MAX_RETRIES)))
            .withCallTimeout(values.get(SessionKeys.TOOLS_TIMEOUT))
            .withSecrets(ConfiguredSecrets.of(values));
    return new AgentSettings(
        values.providers().stream().map(name -> ProviderEntry.of(name, values)).toList(),
        values.get(SessionKeys.LLM_TIMEOUT),
        values.get(SessionKeys.LLM_MAX_CALLS),
        new AutoRetrySettings(
            values.get(SessionKeys.RETRY_ENABLED),
            values.get(SessionKeys.RETRY_MAX_RETRIES),
            values.get(SessionKeys.RETRY_BASE_DELAY),
            values.get(SessionKeys.RETRY_WHOLE_NUMBERS),
            values.get(SessionKeys.RETRY_SKIP)),
        new LoopSettings(
            atLeastTwo(values.get(SessionKeys.LOOPS_NUDGE_AFTER)),
            atLeastTwo(values.get(SessionKeys.LOOPS_END_AFTER))),
        width == 0 ? tools : tools.withWidth(width),
        values.get(SessionKeys.TOOLS_SANDBOX),
        SpendSettings.of(values),
        Path.of(values.get(HandlerKeys.AGENTS_WORKSPACE_ROOT)),
        CallRetryKeys.options(values));
  }

  /** One step alone is no loop. */
  private static int atLeastTwo(int steps) {
    return steps == 1 ? 2 : steps;
  }

  /** With one provider more, in the place of another of its name. */
  public AgentSettings withProvider(ProviderEntry more) {
    List<ProviderEntry> all = new ArrayList<>(providers);
    all.removeIf(each -> each.settings().name().equals(more.settings().name()));
    all.add(more);
    return new AgentSettings(
        all,
        llmTimeout,
        maxCalls,
        autoRetry,
        loops,
        tools,
        sandbox,
        spend,
        workspaceRoot,
        callRetry);
  }
}
