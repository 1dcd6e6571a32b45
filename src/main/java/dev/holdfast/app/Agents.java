package dev.holdfast.app;

import dev.holdfast.config.AgentSettings;
import dev.holdfast.config.ProviderEntry;
import dev.holdfast.handler.agent.AgentHandler;
import dev.holdfast.handler.agent.AgentPorts;
import dev.holdfast.llm.ChatProvider;
import dev.holdfast.llm.WireListener;
import dev.holdfast.llm.anthropic.AnthropicProvider;
import dev.holdfast.llm.openai.OpenAiProvider;
import dev.holdfast.llm.scripted.InvalidScriptException;
import dev.holdfast.llm.scripted.Script;
import dev.holdfast.llm.scripted.ScriptedProvider;
import dev.holdfast.postgres.PostgresEventSink;
import dev.holdfast.postgres.PostgresJournalShelf;
import dev.holdfast.postgres.PostgresRetryAborts;
import dev.holdfast.retry.Sleeper;
import dev.holdfast.session.EventSink;
import dev.holdfast.telemetry.ModelMetrics;
import dev.holdfast.telemetry.SessionMetrics;
import dev.holdfast.ticket.HoldfastException;
import io.micrometer.core.instrument.MeterRegistry;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;

/** What works the tickets of kind agent in a worker: its handler and the providers behind it. */
final class Agents implements AutoCloseable {
  private static final String SCHEMA = "holdfast";

  private final Map<String, ChatProvider> providers;
  private final PostgresEventSink events;
  private final AgentHandler handler;

  private Agents(
      Map<String, ChatProvider> providers, PostgresEventSink events, AgentHandler handler) {
    this.providers = providers;
    this.events = events;
    this.handler = handler;
  }

  /**
   * @throws HoldfastException if a script cannot be read
   */
  static Agents of(AgentSettings settings, MeterRegistry registry, DataSource dataSource) {
    ModelMetrics metrics = new ModelMetrics(registry);
    Map<String, ChatProvider> providers = new LinkedHashMap<>();
    for (ProviderEntry entry : settings.providers()) {
      providers.put(entry.settings().name(), provider(entry, metrics));
    }
    PostgresEventSink events = new PostgresEventSink(dataSource, SCHEMA, System::nanoTime);
    AgentPorts ports =
        AgentPorts.of(
                providers,
                Sleeper.REAL,
                System::nanoTime,
                () -> ThreadLocalRandom.current().nextDouble())
            .withListeners(List.of(new SessionMetrics(registry)), metrics)
            .withSessions(
                new PostgresJournalShelf(dataSource, SCHEMA),
                events,
                new PostgresRetryAborts(dataSource, SCHEMA));
    return new Agents(providers, events, new AgentHandler(handlerSettings(settings), ports));
  }

  private static ChatProvider provider(ProviderEntry entry, WireListener wire) {
    return switch (entry.type()) {
      case OPENAI ->
          OpenAiProvider.create(entry.settings(), wire, System::nanoTime, Clock.systemUTC());
      case ANTHROPIC ->
          AnthropicProvider.create(entry.settings(), wire, System::nanoTime, Clock.systemUTC());
      case SCRIPTED ->
          new ScriptedProvider(entry.settings().name(), script(entry), wire, Sleeper.REAL);
    };
  }

  private static Script script(ProviderEntry entry) {
    try {
      return Script.load(entry.script().orElseThrow());
    } catch (InvalidScriptException e) {
      throw new HoldfastException(
          "providers." + entry.settings().name() + ".script: " + e.getMessage(), e);
    }
  }

  private static dev.holdfast.handler.agent.AgentSettings handlerSettings(AgentSettings settings) {
    return new dev.holdfast.handler.agent.AgentSettings(
        settings.workspaceRoot(),
        System.getenv(),
        hidden(),
        settings.llmTimeout(),
        settings.maxCalls(),
        settings.autoRetry(),
        settings.tools());
  }

  /** Where the configuration and the embedded database's password are. */
  static List<Path> hidden() {
    List<Path> hidden = new ArrayList<>(List.of(Path.of(".holdfast"), Path.of("holdfast.yaml")));
    String file = System.getenv().getOrDefault("HOLDFAST_CONFIG", "");
    if (!file.isBlank()) {
      hidden.add(Path.of(file));
    }
    return hidden;
  }

  Map<String, ChatProvider> providers() {
    return providers;
  }

  EventSink events() {
    return events;
  }

  AgentHandler handler() {
    return handler;
  }

  /** After the last ticket's end. */
  @Override
  public void close() {
    providers.values().forEach(ChatProvider::close);
    events.close();
  }
}
