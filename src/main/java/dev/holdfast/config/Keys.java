package dev.holdfast.config;

import dev.holdfast.failure.Category;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.Counting;
import dev.holdfast.retry.DurationText;
import dev.holdfast.retry.RetrySettings;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Every key there is. {@code holdfast help config} and {@code docs/configuration.md} are made from
 * this table.
 */
public final class Keys {
  private static final Duration DAY = Duration.ofDays(1);
  private static final Duration TEN_YEARS = Duration.ofDays(3650);
  private static final KeyType<String> ANY_TEXT =
      new KeyType.Text(Pattern.compile("(?s).*"), "any text");
  private static final KeyType<String> URL =
      new KeyType.Text(
          Pattern.compile("|(jdbc:postgresql|postgres|postgresql):\\S+"),
          "jdbc:postgresql://HOST:PORT/NAME or postgres://USER:PASSWORD@HOST:PORT/NAME");

  static final Key<String> DATABASE_URL =
      key(
          "database.url",
          URL,
          "",
          "Where the tickets are. Without it, commands use the running embedded instance of this"
              + " directory.");
  static final Key<String> DATABASE_USER =
      key("database.user", ANY_TEXT, "", "The database user, unless the URL names one.");
  static final Key<String> DATABASE_PASSWORD =
      secret("database.password", ANY_TEXT, "The database user's password, unless the URL has it.");
  static final Key<Integer> DATABASE_POOL_SIZE =
      key(
          "database.pool-size",
          whole("connections", 2, 500),
          "10",
          "Connections a worker opens at most. No connection is held while a job runs, so this need"
              + " not grow with worker.concurrency.");
  static final Key<String> DATABASE_LISTEN_URL =
      key(
          "database.listen-url",
          URL,
          "",
          "Where to LISTEN for new tickets, if database.url goes through a transaction pooler,"
              + " which drops notifications. Empty is database.url.");

  static final Key<Integer> WORKER_CONCURRENCY =
      key(
          "worker.concurrency",
          whole("tickets", 1, 100_000),
          "100",
          "How many tickets one worker runs at once.");
  static final Key<Integer> WORKER_POLLERS =
      key(
          "worker.pollers",
          whole("threads", 1, 64),
          "1",
          "Threads that claim tickets. One claims thousands of tickets a second.");
  static final Key<Duration> WORKER_POLL_INTERVAL =
      key(
          "worker.poll-interval",
          span(Duration.ofMillis(10), Duration.ofHours(1)),
          "1s",
          "How often an idle worker looks for tickets. Notifications make it look at once; polling"
              + " is what it relies on.");
  static final Key<Duration> WORKER_LEASE =
      key(
          "worker.lease",
          span(Duration.ofMillis(100), DAY),
          "60s",
          "How long a claimed ticket is safe without a heartbeat; then another worker rescues it.");
  static final Key<Duration> WORKER_HEARTBEAT_INTERVAL =
      key(
          "worker.heartbeat-interval",
          span(Duration.ofMillis(10), DAY),
          "15s",
          "How often leases are renewed. Must be less than half of worker.lease, so that one lost"
              + " heartbeat costs nothing.");
  static final Key<Duration> WORKER_RESCUE_INTERVAL =
      key(
          "worker.rescue-interval",
          span(Duration.ofMillis(10), Duration.ofHours(1)),
          "5s",
          "How often a worker looks for expired leases of others.");
  static final Key<Duration> WORKER_DRAIN_TIMEOUT =
      key(
          "worker.drain-timeout",
          span(Duration.ZERO, DAY),
          "30s",
          "How long a stopping worker lets its running tickets finish before it gives them back.");
  static final Key<List<String>> WORKER_QUEUES =
      key(
          "worker.queues",
          new KeyType.Texts(Pattern.compile("[A-Za-z0-9][A-Za-z0-9._:-]{0,62}"), "queue names"),
          "",
          "The queues this worker claims from. Empty is all.");
  static final Key<Integer> WORKER_CLAIM_BATCH =
      key(
          "worker.claim-batch",
          whole("tickets", 1, 10_000),
          "500",
          "How many tickets one claim takes at most; never more than there are free slots.");

  static final Map<Category, CategoryKeys> RETRY_CATEGORIES = categoryKeys();
  static final Key<Duration> RETRY_MAX_DELAY =
      key(
          "retry.max-delay",
          span(Duration.ZERO, Duration.ofDays(30)),
          "15m",
          "Caps backoff and a server's Retry-After alike.");
  static final Key<Double> RETRY_JITTER =
      key(
          "retry.jitter",
          new KeyType.Fraction(),
          "0.1",
          "The largest part of a delay that is added to it at random, so that tickets that failed"
              + " together do not come back together. 0 switches it off.");
  static final Key<Integer> RETRY_SAME_ERROR_LIMIT =
      key(
          "retry.same-error-limit",
          whole("attempts", 0, 1000),
          "3",
          "So many attempts in a row with the same error put a ticket on hold although retries"
              + " remain; never for transient errors. 0 is off.");
  static final Key<Integer> RETRY_CRASH_LIMIT =
      key(
          "retry.crash-limit",
          whole("crashes", 0, 1000),
          "5",
          "So many expired leases since the last release put a ticket on hold although retries"
              + " remain. 0 is off.");
  static final Key<Counting> RETRY_COUNTING =
      key(
          "retry.counting",
          new KeyType.Choice<>(List.of(Counting.values()), Counting::wireName),
          "shared",
          "shared: one count of retries per ticket. per_category: a count for each category of"
              + " error.");

  static final Key<List<Map<String, ?>>> CLASSIFIER_RULES =
      key(
          "classifier.rules",
          new KeyType.Documents("a list of rules"),
          "",
          "Rules that are tried before the built-in ones; see docs/classification.md. In the"
              + " environment: the list as JSON.");

  static final Key<Duration> RETENTION_DONE =
      key(
          "retention.done",
          span(Duration.ZERO, TEN_YEARS),
          "30d",
          "How long done tickets are kept. 0 is for ever.");
  static final Key<Duration> RETENTION_CANCELLED =
      key(
          "retention.cancelled",
          span(Duration.ZERO, TEN_YEARS),
          "30d",
          "How long cancelled tickets are kept. 0 is for ever.");
  static final Key<Duration> RETENTION_STOPPED_WORKERS =
      key(
          "retention.stopped-workers",
          span(Duration.ZERO, TEN_YEARS),
          "1d",
          "How long the rows of workers that are gone are kept. 0 is for ever.");
  static final Key<Duration> RETENTION_INTERVAL =
      key(
          "retention.interval",
          span(Duration.ZERO, DAY),
          "1h",
          "How often workers delete what is kept no longer. 0 is never.");

  static final Key<Integer> PAYLOAD_MAX_BYTES =
      key(
          "payload.max-bytes",
          whole("bytes", 2, 200 * 1024 * 1024),
          "1048576",
          "The largest payload a ticket may have, as UTF-8 JSON.");

  static final Key<Boolean> COMMAND_ALLOW_INLINE =
      key(
          "handlers.command.allow-inline",
          new KeyType.Flag(),
          "false",
          "Whether a ticket's payload may name the program to run. Whoever may enqueue could then"
              + " run anything as the worker's user.");

  static final Key<List<String>> COMMAND_PASS_ENVIRONMENT =
      key(
          "handlers.command.pass-environment",
          new KeyType.Texts(Pattern.compile("[A-Za-z_][A-Za-z0-9_]*"), "names of variables"),
          "",
          "Variables of the worker that a design may hand to its program with pass_environment. Any"
              + " other one stays here.");
  static final Key<String> COMMAND_WORKSPACES =
      key(
          "handlers.command.workspaces",
          ANY_TEXT,
          ".holdfast/workspaces",
          "The directory in which each attempt gets a working directory of its own.");
  static final Key<Duration> COMMAND_KILL_GRACE =
      key(
          "handlers.command.kill-grace",
          // A stopping worker waits a little longer than this for its programs.
          span(Duration.ZERO, Duration.ofSeconds(2)),
          "2s",
          "How long a program that has to stop may clean up before it is killed with all its"
              + " children.");

  static final Key<Integer> TOOLS_MAX_RETRIES =
      key(
          "tools.max-retries",
          whole("attempts", 1, 100),
          "3",
          "Maximum retry attempts for failed tool executions, the first one included: 1 is no"
              + " retry.");

  static final Key<Integer> TOOLS_WIDTH =
      key(
          "tools.width",
          whole("calls", 0, 1000),
          "0",
          "How many tool calls of one agent run at once. 0 is 4, or the number of processors where"
              + " that is less.");
  static final Key<Duration> TOOLS_TIMEOUT =
      key(
          "tools.timeout",
          span(Duration.ofMillis(100), DAY),
          "15m",
          "How long one try of a tool call may take, above the tools' own limits: it ends those"
              + " that hang.");

  static final Key<Duration> LLM_TIMEOUT =
      key(
          "llm.timeout",
          span(Duration.ofMillis(100), DAY),
          "2m",
          "How long one call of a model may take, from its start to the last byte, where a design"
              + " has no limits.llm_timeout.");
  static final Key<Integer> LLM_MAX_CALLS =
      key(
          "llm.max-calls-per-execution",
          whole("calls", 0, 1_000_000),
          "60",
          "How often all layers of one attempt of a ticket together may call a model, so that their"
              + " retries cannot multiply into a storm. 0 is no bound.");

  static final Key<Boolean> SESSION_RETRY_ENABLED =
      key(
          "session.retry.enabled",
          new KeyType.Flag(),
          "true",
          "Whether an agent's turn that ended in a passing error is run again within the attempt.");
  static final Key<Integer> SESSION_RETRY_MAX_RETRIES =
      key(
          "session.retry.max-retries",
          whole("retries", 0, 1000),
          "3",
          "Retries of such a turn, after its first run.");
  static final Key<Duration> SESSION_RETRY_BASE_DELAY =
      key(
          "session.retry.base-delay",
          span(Duration.ZERO, DAY),
          "2s",
          "The wait before the first of them; each further one is twice as long.");
  static final Key<Boolean> SESSION_RETRY_SKIP =
      key(
          "session.retry.skip-if-exhausted-below",
          new KeyType.Flag(),
          "false",
          "Whether an error that the turn has retried as often as it may is passed up at once.");

  static final Key<String> AGENTS_WORKSPACE_ROOT =
      key(
          "agents.workspace-root",
          ANY_TEXT,
          ".holdfast/agents",
          "The directory in which the agent of each ticket gets a workspace of its own, which stays"
              + " until a success ends the ticket; what waits for a review keeps it. Workers that"
              + " share tickets need one that they all see.");

  static final Key<Integer> WEB_PORT =
      key(
          "web.port",
          whole("", 0, 65_535),
          "8080",
          "The port of /health, /metrics, the API and the console. 0 takes a free one and prints"
              + " it.");
  static final Key<String> WEB_HOST =
      key(
          "web.host",
          new KeyType.Text(Pattern.compile("[A-Za-z0-9.:_-]+"), "a host name or address"),
          "127.0.0.1",
          "The address to listen on. Any but a loopback one needs web.tokens.");
  static final Key<List<String>> WEB_TOKENS =
      secret(
          "web.tokens",
          new KeyType.Texts(
              Pattern.compile(
                  "(viewer|operator)(/[A-Za-z0-9][A-Za-z0-9._@-]{0,63})?"
                      + ":(sha256:[0-9A-Fa-f]{64}|(?!sha256:)\\S{16,})"),
              "entries viewer:TOKEN or operator/NAME:TOKEN, TOKEN of at least 16 characters or its"
                  + " hash sha256:HEX"),
          "Bearer tokens of the API and the console, each after its role and, with a slash, the"
              + " name of whose it is, under which its actions are recorded. holdfast token makes"
              + " one with its hash, which is all that need stand here. Without any, only this"
              + " machine may connect.");
  static final Key<Integer> WEB_REQUESTS_PER_MINUTE =
      key(
          "web.requests-per-minute",
          whole("requests", 0, 1_000_000),
          "6000",
          "How many requests each visitor may send a minute, counted for each token, or else for"
              + " each address. 0 is no bound.");

  private static final KeyType<String> ADDRESS =
      new KeyType.Text(Pattern.compile("|https?://\\S+"), "http://... or https://...");

  static final Key<String> WEBHOOKS_URL =
      secret(
          "webhooks.url",
          ADDRESS,
          "Who is told of each new hold, by POST of a CloudEvent; see docs/api.md. Needs"
              + " webhooks.secret.");
  static final Key<String> WEBHOOKS_SECRET =
      secret(
          "webhooks.secret",
          new KeyType.Text(Pattern.compile("|\\S{16,}"), "at least 16 characters without blanks"),
          "Signs what is sent to webhooks.url.");
  static final Key<Duration> WEBHOOKS_TIMEOUT =
      key(
          "webhooks.timeout",
          span(Duration.ofMillis(100), Duration.ofMinutes(1)),
          "10s",
          "How long the receiver may take to answer.");
  static final Key<Duration> WEBHOOKS_GIVE_UP_AFTER =
      key(
          "webhooks.give-up-after",
          span(Duration.ofSeconds(1), Duration.ofDays(30)),
          "1d",
          "How long an event that is not taken is tried again, ever less often, before the next one"
              + " is told.");
  static final Key<String> WEBHOOKS_CONSOLE_URL =
      key(
          "webhooks.console-url",
          ADDRESS,
          "",
          "Where people reach the console, for the links in what is told. Empty gives none.");
  static final Key<String> MCP_TOKEN =
      secret(
          "mcp.token",
          ANY_TEXT,
          "The token of web.tokens under which holdfast mcp acts; needed where there are any.");

  /** In the order of the documentation. */
  public static final List<Key<?>> ALL =
      Stream.of(
              List.of(
                  DATABASE_URL,
                  DATABASE_USER,
                  DATABASE_PASSWORD,
                  DATABASE_POOL_SIZE,
                  DATABASE_LISTEN_URL,
                  WORKER_CONCURRENCY,
                  WORKER_POLLERS,
                  WORKER_POLL_INTERVAL,
                  WORKER_LEASE,
                  WORKER_HEARTBEAT_INTERVAL,
                  WORKER_RESCUE_INTERVAL,
                  WORKER_DRAIN_TIMEOUT,
                  WORKER_QUEUES,
                  WORKER_CLAIM_BATCH),
              categoryKeyList(),
              List.of(
                  RETRY_MAX_DELAY,
                  RETRY_JITTER,
                  RETRY_SAME_ERROR_LIMIT,
                  RETRY_CRASH_LIMIT,
                  RETRY_COUNTING,
                  CLASSIFIER_RULES,
                  RETENTION_DONE,
                  RETENTION_CANCELLED,
                  RETENTION_STOPPED_WORKERS,
                  RETENTION_INTERVAL,
                  PAYLOAD_MAX_BYTES,
                  COMMAND_ALLOW_INLINE,
                  COMMAND_PASS_ENVIRONMENT,
                  COMMAND_WORKSPACES,
                  COMMAND_KILL_GRACE,
                  AGENTS_WORKSPACE_ROOT),
              ProviderKeys.ANY.all(),
              SpendKeys.ALL,
              List.of(
                  LLM_TIMEOUT,
                  LLM_MAX_CALLS,
                  SESSION_RETRY_ENABLED,
                  SESSION_RETRY_MAX_RETRIES,
                  SESSION_RETRY_BASE_DELAY,
                  SESSION_RETRY_SKIP,
                  TOOLS_MAX_RETRIES,
                  TOOLS_WIDTH,
                  TOOLS_TIMEOUT,
                  WEB_PORT,
                  WEB_HOST,
                  WEB_TOKENS,
                  WEB_REQUESTS_PER_MINUTE,
                  WEBHOOKS_URL,
                  WEBHOOKS_SECRET,
                  WEBHOOKS_TIMEOUT,
                  WEBHOOKS_GIVE_UP_AFTER,
                  WEBHOOKS_CONSOLE_URL,
                  MCP_TOKEN))
          .<Key<?>>flatMap(List::stream)
          .toList();

  /** The key of a name; hyphen and underscore are one in a provider's name. */
  static Optional<Key<?>> find(String name) {
    return ALL.stream()
        .filter(key -> !ProviderKeys.isAny(key) && key.name().equals(name))
        .findFirst()
        .or(() -> ProviderKeys.find(name));
  }

  /** Whether keys are below a name. */
  static boolean isSection(String name) {
    return ProviderKeys.isSection(name)
        || ALL.stream().anyMatch(key -> key.name().startsWith(name + "."));
  }

  /** The keys of one category's retry policy. */
  record CategoryKeys(Key<Integer> maxRetries, Key<BackoffType> backoff, Key<Duration> baseDelay) {}

  private Keys() {}

  private static Map<Category, CategoryKeys> categoryKeys() {
    Map<Category, CategoryKeys> keys = new EnumMap<>(Category.class);
    for (Category category : Category.values()) {
      CategoryPolicy policy = RetrySettings.defaults().of(category);
      String prefix = "retry.categories." + category.wireName() + ".";
      keys.put(
          category,
          new CategoryKeys(
              key(
                  prefix + "max-retries",
                  whole("retries", 0, 1000),
                  String.valueOf(policy.maxRetries()),
                  "Retries of a ticket that fails with such an error, after its first execution."),
              key(
                  prefix + "backoff",
                  new KeyType.Choice<>(List.of(BackoffType.values()), BackoffType::wireName),
                  policy.backoff().type().wireName(),
                  "How the delay grows: none (at once), linear (base * n), exponential (base *"
                      + " 2^(n-1))."),
              key(
                  prefix + "base-delay",
                  span(Duration.ZERO, Duration.ofDays(7)),
                  DurationText.format(policy.backoff().base()),
                  "The delay before the first retry.")));
    }
    return Map.copyOf(keys);
  }

  static CategoryKeys of(Category category) {
    return Objects.requireNonNull(RETRY_CATEGORIES.get(category));
  }

  private static KeyType<Integer> whole(String unit, int min, int max) {
    return new KeyType.Whole(unit, min, max);
  }

  private static KeyType<Duration> span(Duration min, Duration max) {
    return new KeyType.Span(min, max);
  }

  private static <T> Key<T> key(
      String name, KeyType<T> type, String defaultText, String description) {
    return new Key<>(name, type, defaultText, false, description);
  }

  private static <T> Key<T> secret(String name, KeyType<T> type, String description) {
    return new Key<>(name, type, "", true, description);
  }

  private static List<Key<?>> categoryKeyList() {
    return Stream.of(Category.values())
        .map(Keys::of)
        .<Key<?>>flatMap(keys -> Stream.of(keys.maxRetries(), keys.backoff(), keys.baseDelay()))
        .toList();
  }
}
