package dev.holdfast.config;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.InvalidRuleException;
import dev.holdfast.failure.Rule;
import dev.holdfast.handler.command.CommandSettings;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.secret.Secrets;
import dev.holdfast.worker.WorkerSettings;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The whole configuration. Immutable; every value is checked.
 *
 * @param classifierRules rules that come before the built-in ones, or in their place
 * @param payloadMaxBytes the largest payload, as UTF-8 JSON
 * @param payloadMaxExpandedBytes the largest payload, as text of jsonb
 * @param workspaceRetention how long the workspace of an agent's ticket is kept after the ticket's
 *     end; zero is for ever
 * @param logFormat text or json
 * @param secrets the values that must not leave the process
 * @param secretFiles the files and directories in which some of them may be; a configuration file
 *     only if it was named
 */
public record Settings(
    DatabaseSettings database,
    WorkerSettings worker,
    RetrySettings retry,
    List<Rule> classifierRules,
    Duration workspaceRetention,
    int payloadMaxBytes,
    int payloadMaxExpandedBytes,
    CommandSettings command,
    AgentSection agents,
    RepairTicketSettings repair,
    WebSettings web,
    String logFormat,
    Secrets secrets,
    List<Path> secretFiles) {
  public Settings {
    classifierRules = List.copyOf(classifierRules);
    secretFiles = List.copyOf(secretFiles);
  }

  static Settings of(Values values, List<Path> secretFiles) {
    return new Settings(
        DatabaseSettings.of(values),
        WorkerKeys.settings(values),
        retry(values),
        rules(values.get(RetryKeys.CLASSIFIER_RULES)),
        values.get(TicketKeys.RETENTION_WORKSPACES),
        values.get(TicketKeys.PAYLOAD_MAX_BYTES),
        values.get(TicketKeys.PAYLOAD_MAX_EXPANDED_BYTES),
        HandlerKeys.command(values),
        AgentSection.of(values),
        RepairTicketSettings.of(values),
        WebSettings.of(values),
        values.get(Keys.LOG_FORMAT),
        ConfiguredSecrets.of(values),
        secretFiles);
  }

  /**
   * Returns the settings for a worker on an embedded database: no configured address leads there.
   *
   * @param directory the directory with its data and its password, which nobody else is to see
   */
  public Settings withOwnDatabase(Path directory, String password) {
    List<Path> files = new ArrayList<>(secretFiles);
    files.add(directory);
    DatabaseSettings own = new DatabaseSettings(null, null, null, null, database.poolSize(), null);
    return with(own, agents, web, secrets, files).withSecret("database.password", password);
  }

  /**
   * Returns the settings with one more secret.
   *
   * @param name what to call it where it is taken out
   */
  public Settings withSecret(String name, String value) {
    Secrets all = secrets.and(Map.of(value, name));
    return with(database, agents.withSecrets(all), web, all, secretFiles);
  }

  /** Returns the database's password as it is now, and hides it from now on like the first one. */
  public @Nullable String currentPassword() {
    String password = database.currentPassword();
    ConfiguredSecrets.learn(password, database, secrets);
    return password;
  }

  public Settings withWeb(WebSettings newWeb) {
    return with(database, agents, newWeb, secrets, secretFiles);
  }

  public Settings withAgents(AgentSection others) {
    return with(database, others, web, secrets, secretFiles);
  }

  private Settings with(
      DatabaseSettings newDatabase,
      AgentSection newAgents,
      WebSettings newWeb,
      Secrets newSecrets,
      List<Path> newSecretFiles) {
    return new Settings(
        newDatabase,
        worker,
        retry,
        classifierRules,
        workspaceRetention,
        payloadMaxBytes,
        payloadMaxExpandedBytes,
        command,
        newAgents,
        repair,
        newWeb,
        logFormat,
        newSecrets,
        newSecretFiles);
  }

  /** Returns the settings without any configuration. */
  public static Settings defaults() {
    return of(Values.read(Map.of()), List.of());
  }

  private static List<Rule> rules(List<Map<String, ?>> documents) {
    if (documents.isEmpty()) {
      return List.of();
    }
    try {
      return Rule.parseAll(documents);
    } catch (InvalidRuleException e) {
      throw new ConfigException(RetryKeys.CLASSIFIER_RULES.name() + ": " + e.getMessage(), e);
    }
  }

  private static RetrySettings retry(Values values) {
    Map<Category, CategoryPolicy> categories = new EnumMap<>(Category.class);
    for (Category category : Category.values()) {
      RetryKeys.OfCategory keys = RetryKeys.of(category);
      Backoff backoff = new Backoff(values.get(keys.backoff()), values.get(keys.baseDelay()));
      categories.put(category, new CategoryPolicy(values.get(keys.maxRetries()), backoff));
    }
    return new RetrySettings(
        categories,
        values.get(RetryKeys.MAX_DELAY),
        values.get(RetryKeys.JITTER),
        values.get(RetryKeys.SAME_ERROR_LIMIT),
        values.get(RetryKeys.CRASH_LIMIT),
        values.get(RetryKeys.COUNTING));
  }
}
