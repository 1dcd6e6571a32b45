package dev.holdfast.app;

import dev.holdfast.config.AgentSection;
import dev.holdfast.config.ProviderEntry;
import dev.holdfast.config.Settings;
import dev.holdfast.config.SpendSettings;
import dev.holdfast.handler.agent.AgentHandler;
import dev.holdfast.handler.agent.AgentPorts;
import dev.holdfast.handler.agent.SessionStores;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.WireListener;
import dev.holdfast.llm.account.AccountCache;
import dev.holdfast.llm.account.AccountWatch;
import dev.holdfast.llm.account.Accounts;
import dev.holdfast.llm.account.CallGuard;
import dev.holdfast.llm.anthropic.AnthropicApi;
import dev.holdfast.llm.openai.OpenAiApi;
import dev.holdfast.llm.scripted.InvalidScriptException;
import dev.holdfast.llm.scripted.Script;
import dev.holdfast.llm.scripted.ScriptedProvider;
import dev.holdfast.llm.wire.VendorApi;
import dev.holdfast.llm.wire.WireProvider;
import dev.holdfast.postgres.session.PostgresAccountStore;
import dev.holdfast.postgres.session.PostgresAllowanceStore;
import dev.holdfast.postgres.session.PostgresApprovalStore;
import dev.holdfast.postgres.session.PostgresAttemptHistory;
import dev.holdfast.postgres.session.PostgresEventSink;
import dev.holdfast.postgres.session.PostgresJournalStore;
import dev.holdfast.postgres.session.PostgresRetryAborts;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.event.EventSink;
import dev.holdfast.session.event.SessionListener;
import dev.holdfast.telemetry.AccountMetrics;
import dev.holdfast.telemetry.ModelMetrics;
import dev.holdfast.telemetry.SessionMetrics;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.tool.sandbox.Sandboxes;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the handler for tickets of kind agent, with the providers behind it. */
final class Agents implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(Agents.class);
  private static final String SCHEMA = "holdfast";

  private final Map<String, ChatProvider> providers;
  private final PostgresEventSink events;
  private final CallGuard guard;
  private final AccountWatch watch;
  private final AgentHandler handler;

  private Agents(
      Map<String, ChatProvider> providers,
      PostgresEventSink events,
      CallGuard guard,
      AccountWatch watch,
      AgentHandler handler) {
    this.watch = watch;
    this.providers = providers;
    this.events = events;
    this.guard = guard;
    this.handler = handler;
  }

  /**
   * @throws HoldfastException if a script cannot be read
   */
  static Agents of(
      Settings all,
      Sandboxes sandboxes,
      MeterRegistry registry,
      DataSource dataSource,
      Traces traces,
      String workerId) {
    AgentSection settings = all.agents();
    ModelMetrics metrics =
        new ModelMetrics(
            registry, settings.providers().stream().map(entry -> entry.settings().name()).toList());
    WireListener traced = traces.calls();
    WireListener wire =
        call -> {
          metrics.on(call);
          traced.on(call);
        };
    Map<String, ChatProvider> providers = new LinkedHashMap<>();
    for (ProviderEntry entry : settings.providers()) {
      providers.put(entry.settings().name(), provider(entry, wire));
    }
    PostgresEventSink events =
        new PostgresEventSink(dataSource, SCHEMA, System::nanoTime, all.secrets());
    SpendSettings spend = settings.spend();
    PostgresAccountStore store =
        new PostgresAccountStore(dataSource, SCHEMA, spend.accounts(), workerId);
    configure(store, spend, providers);
    AccountCache book =
        new AccountCache(
            store,
            spend.accounts(),
            System::nanoTime,
            () -> ThreadLocalRandom.current().nextDouble());
    AccountWatch watch = AccountWatch.start(book, spend.pollInterval(), spend.outages());
    AccountMetrics accountMetrics = new AccountMetrics(registry, book::closed);
    accountMetrics.watchOutages(providers.keySet(), book::outage);
    CallGuard guard = new Accounts(book, Sleeper.REAL, accountMetrics);
    SessionStores sessions =
        new SessionStores(
            new PostgresJournalStore(dataSource, SCHEMA, Sleeper.REAL, all.secrets()),
            events,
            new PostgresRetryAborts(dataSource, SCHEMA),
            new PostgresAllowanceStore(dataSource, SCHEMA),
            new PostgresApprovalStore(dataSource, SCHEMA),
            new PostgresAttemptHistory(dataSource, SCHEMA));
    AgentPorts ports =
        new AgentPorts(
            providers,
            sessions,
            System.getenv(),
            sandboxes,
            guard,
            listeners(registry, traces),
            metrics,
            Sleeper.REAL,
            System::nanoTime,
            () -> ThreadLocalRandom.current().nextDouble());
    return new Agents(providers, events, guard, watch, new AgentHandler(settings.handler(), ports));
  }

  private static List<SessionListener> listeners(MeterRegistry registry, Traces traces) {
    List<SessionListener> all = new ArrayList<>(traces.sessions());
    all.add(new SessionMetrics(registry));
    return all;
  }

  /**
   * Configures the budgets. Budgets of keys are written by their labels, which are known only here.
   */
  private static void configure(
      PostgresAccountStore store, SpendSettings spend, Map<String, ChatProvider> providers) {
    List<String> scopes = new ArrayList<>();
    for (SpendSettings.Budget budget : spend.budgets()) {
      for (String scope : budget.scopes(providers.values())) {
        store.configure(scope, budget.per(), budget.usd());
        scopes.add(scope);
      }
    }
    // The budget may be in the configuration of other workers, so a person decides.
    for (String scope : store.configuredBeside(scopes)) {
      LOG.warn(
          "the budget {} is not in this configuration, was set by an earlier one or another"
              + " worker's, and still holds tickets; if no worker has it: holdfast budgets remove"
              + " {}",
          scope,
          scope);
    }
  }

  /** Reacts when somebody in the cluster has learned something; returns at once. */
  void providersChanged() {
    watch.wake();
  }

  private static ChatProvider provider(ProviderEntry entry, WireListener wire) {
    String name = entry.settings().name();
    String url = entry.settings().baseUrl();
    return switch (entry.type()) {
      case OPENAI -> overHttp(entry, new OpenAiApi(name, url), wire);
      case ANTHROPIC -> overHttp(entry, new AnthropicApi(name, url), wire);
      case SCRIPTED -> new ScriptedProvider(name, script(entry), wire, Sleeper.REAL);
    };
  }

  private static ChatProvider overHttp(ProviderEntry entry, VendorApi api, WireListener wire) {
    return new WireProvider(entry.settings(), api, wire, System::nanoTime, Clock.systemUTC());
  }

  private static Script script(ProviderEntry entry) {
    try {
      return Script.load(entry.script().orElseThrow());
    } catch (InvalidScriptException e) {
      throw new HoldfastException(
          "providers." + entry.settings().name() + ".script: " + e.getMessage(), e);
    }
  }

  Map<String, ChatProvider> providers() {
    return providers;
  }

  /** Returns the guard between an attempt and the providers. */
  CallGuard guard() {
    return guard;
  }

  EventSink events() {
    return events;
  }

  AgentHandler handler() {
    return handler;
  }

  /** Closes the providers and the rest. Must be called after the last ticket's end. */
  @Override
  public void close() {
    watch.close();
    providers.values().forEach(ChatProvider::close);
    events.close();
  }
}
