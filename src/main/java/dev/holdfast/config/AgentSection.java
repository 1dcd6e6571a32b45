package dev.holdfast.config;

import dev.holdfast.handler.agent.AgentSettings;
import dev.holdfast.llm.Account;
import dev.holdfast.secret.Secrets;
import dev.holdfast.session.LoopSettings;
import dev.holdfast.session.retry.AutoRetrySettings;
import dev.holdfast.tool.ToolRetrySettings;
import dev.holdfast.tool.ToolSettings;
import dev.holdfast.tool.sandbox.SandboxMode;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The configuration of models and of tickets of kind {@code agent}.
 *
 * @param providers the providers of models
 * @param sandbox whether programs of tools are confined, those of repairs too
 * @param spend what is shared with other workers about providers, and budgets
 * @param handler the settings of the agents' handler, in part those of repairs too
 */
public record AgentSection(
    List<ProviderEntry> providers,
    SandboxMode sandbox,
    SpendSettings spend,
    AgentSettings handler) {
  public AgentSection {
    providers = List.copyOf(providers);
  }

  static AgentSection of(Values values) {
    int width = values.get(SessionKeys.TOOLS_WIDTH);
    ToolSettings tools =
        ToolSettings.defaults()
            .withRetry(
                ToolRetrySettings.defaults()
                    .withMaxAttempts(values.get(SessionKeys.TOOLS_MAX_RETRIES)))
            .withCallTimeout(values.get(SessionKeys.TOOLS_TIMEOUT))
            .withSecrets(ConfiguredSecrets.of(values));
    SpendSettings spend = SpendSettings.of(values);
    AgentSettings handler =
        new AgentSettings(
            Path.of(values.get(HandlerKeys.AGENTS_WORKSPACE_ROOT)),
            values.get(SessionKeys.LLM_TIMEOUT),
            values.get(SessionKeys.LLM_MAX_CALLS),
            new AutoRetrySettings(
                values.get(SessionKeys.RETRY_ENABLED),
                values.get(SessionKeys.RETRY_MAX_RETRIES),
                values.get(SessionKeys.RETRY_BASE_DELAY),
                values.get(SessionKeys.RETRY_WHOLE_NUMBERS),
                values.get(SessionKeys.RETRY_SKIP)),
            new LoopSettings(
                steps(SessionKeys.LOOPS_NUDGE_AFTER, values),
                steps(SessionKeys.LOOPS_END_AFTER, values)),
            width == 0 ? tools : tools.withWidth(width),
            spend.allowance(),
            CallRetryKeys.options(values));
    return new AgentSection(
        values.providers().stream().map(name -> ProviderEntry.of(name, values)).toList(),
        values.get(SessionKeys.TOOLS_SANDBOX),
        spend,
        handler);
  }

  /** Returns the steps of a loop, and refuses 1: one step alone is no loop. */
  private static int steps(Key<Integer> key, Values values) {
    int steps = values.get(key);
    if (steps == 1) {
      throw new ConfigException(key.name() + ": one step alone is no loop; allowed: 0, 2 to 1000");
    }
    return steps;
  }

  AgentSection withSecrets(Secrets secrets) {
    return new AgentSection(providers, sandbox, spend, handler.withSecrets(secrets));
  }

  /**
   * Returns the scopes of budgets that a person means. Those of keys are stored by the keys' ids,
   * and may be named by their labels as well. There are none where no provider has such a key.
   */
  public List<String> budgetScopes(String scope) {
    List<Account> accounts =
        providers.stream().flatMap(each -> each.settings().accounts().stream()).toList();
    boolean isStored =
        !scope.startsWith("key:")
            || accounts.stream()
                .anyMatch(each -> scope.equals("key:" + each.provider() + "/" + each.keyId()));
    return isStored ? List.of(scope) : SpendSettings.keyScopes(scope, accounts);
  }

  /** Returns this with one more provider, which replaces another of the same name. */
  public AgentSection withProvider(ProviderEntry more) {
    List<ProviderEntry> all = new ArrayList<>(providers);
    all.removeIf(each -> each.settings().name().equals(more.settings().name()));
    all.add(more);
    return new AgentSection(all, sandbox, spend, handler);
  }
}
