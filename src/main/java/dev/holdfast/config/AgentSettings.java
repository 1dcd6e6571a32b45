package dev.holdfast.config;

import dev.holdfast.session.AutoRetrySettings;
import dev.holdfast.tool.ToolRetrySettings;
import dev.holdfast.tool.ToolSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * What tickets of kind {@code agent} work with.
 *
 * @param providers of models
 * @param llmTimeout of one call, where a design says nothing
 * @param maxCalls of models in one attempt; 0 for no bound
 * @param autoRetry of turns
 * @param spend what is shared with other workers about providers, and budgets
 * @param workspaceRoot where each ticket's agent gets a directory of its own
 */
public record AgentSettings(
    List<ProviderEntry> providers,
    Duration llmTimeout,
    int maxCalls,
    AutoRetrySettings autoRetry,
    ToolSettings tools,
    SpendSettings spend,
    Path workspaceRoot) {
  public AgentSettings {
    providers = List.copyOf(providers);
  }

  static AgentSettings of(Values values) {
    AutoRetrySettings usual = AutoRetrySettings.DEFAULT;
    int width = values.get(Keys.TOOLS_WIDTH);
    ToolSettings tools =
        ToolSettings.defaults()
            .withRetry(
                ToolRetrySettings.defaults().withMaxAttempts(values.get(Keys.TOOLS_MAX_RETRIES)))
            .withCallTimeout(values.get(Keys.TOOLS_TIMEOUT));
    return new AgentSettings(
        values.providers().stream().map(name -> ProviderEntry.of(name, values)).toList(),
        values.get(Keys.LLM_TIMEOUT),
        values.get(Keys.LLM_MAX_CALLS),
        new AutoRetrySettings(
            values.get(Keys.SESSION_RETRY_ENABLED),
            values.get(Keys.SESSION_RETRY_MAX_RETRIES),
            values.get(Keys.SESSION_RETRY_BASE_DELAY),
            usual.wholeNumbers(),
            values.get(Keys.SESSION_RETRY_SKIP)),
        width == 0 ? tools : tools.withWidth(width),
        SpendSettings.of(values),
        Path.of(values.get(Keys.AGENTS_WORKSPACE_ROOT)));
  }

  /** With one provider more, in the place of another of its name. */
  public AgentSettings withProvider(ProviderEntry more) {
    List<ProviderEntry> all = new ArrayList<>(providers);
    all.removeIf(each -> each.settings().name().equals(more.settings().name()));
    all.add(more);
    return new AgentSettings(all, llmTimeout, maxCalls, autoRetry, tools, spend, workspaceRoot);
  }
}
