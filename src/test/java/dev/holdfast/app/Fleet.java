package dev.holdfast.app;

import dev.holdfast.config.ConfigLoader;
import dev.holdfast.config.Settings;
import dev.holdfast.postgres.Database;
import dev.holdfast.testing.ModelServer;
import dev.holdfast.testing.TestDatabase;
import dev.holdfast.testing.TicketDatabase;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.awaitility.Awaitility;

/** Whole workers on one database and one model server, each with its own pool and book. */
final class Fleet implements AutoCloseable {
  static final String REPORT = "{\"status\": \"success\", \"content\": \"done\"}";
  private static final Duration PATIENCE = Duration.ofSeconds(40);

  /** One look at all: a look at each takes as many sessions. */
  private static final String STATES =
      """
      SELECT concat(t.state, ': ticket ', t.id, ', ', string_agg(a.outcome, ' ' ORDER BY a.lease_no))
      FROM holdfast.tickets t LEFT JOIN holdfast.ticket_attempts a ON a.ticket_id = t.id
      WHERE t.id = ANY (?) GROUP BY t.id, t.state
      """;

  final TestDatabase database;
  final TicketDatabase tickets;
  final ModelServer models;
  private final Path directory;
  final Map<String, String> environment = new HashMap<>();
  final List<WorkerProcess> workers = new ArrayList<>();

  Fleet(TestDatabase database, ModelServer models, Path directory) {
    this.database = database;
    this.tickets = new TicketDatabase(database);
    this.models = models;
    this.directory = directory;
    with("PROVIDERS_OPENAI_BASE_URL", models.openAiUrl());
    with("PROVIDERS_OPENAI_API_KEY", "sk-first");
    with("PROVIDERS_OPENAI_PRICES", "[{model: \"gpt*\", input: 1000, output: 1000}]");
    with("WORKER_POLL_INTERVAL", "200ms");
    with("WORKER_CONCURRENCY", "20");
    with("DATABASE_POOL_SIZE", "4");
    with("AGENTS_WORKSPACE_ROOT", directory.resolve("agents").toString());
    with("WEB_PORT", "0");
    with("SESSION_RETRY_BASE_DELAY", "20ms");
    with("RETRY_CATEGORIES_TRANSIENT_BASE_DELAY", "100ms");
    with("COOLDOWN_POLL_INTERVAL", "200ms");
  }

  /** By the name behind {@code HOLDFAST_}. */
  Fleet with(String name, String value) {
    environment.put("HOLDFAST_" + name, value);
    return this;
  }

  Fleet start(int count) {
    Settings settings =
        new ConfigLoader(Path.of("no-such-directory"), environment).load(null, Map.of());
    for (int i = 0; i < count; i++) {
      WorkerProcess worker =
          WorkerProcess.start(settings, pooled(database), event -> {}, directory);
      workers.add(worker);
    }
    return this;
  }

  /** As a worker would be configured for it. */
  static Database pooled(TestDatabase database) {
    return new Database(
        database.jdbcUrl(), database.user(), database.password(), 4, "holdfast-test");
  }

  /** A design of the kind agent with these lines behind it; returns the new ids. */
  List<Long> enqueue(String design, String lines, int count) {
    if (tickets.number("SELECT count(*) FROM holdfast.designs WHERE name = ?", design) == 0) {
      tickets.run(
          "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1, 'agent',"
              + " ?::jsonb)",
          design,
          new tools.jackson.databind.json.JsonMapper()
              .writeValueAsString(
                  new tools.jackson.dataformat.yaml.YAMLMapper()
                      .readTree("kind: agent\nreview: none\n" + lines)));
    }
    return tickets
        .column(
            "SELECT holdfast.enqueue_ticket(design => ?, payload => '{\"prompt\": \"go\"}') FROM"
                + " generate_series(1, ?)",
            design,
            count)
        .stream()
        .map(Long::valueOf)
        .toList();
  }

  void awaitAll(List<Long> ids, String state) {
    Awaitility.await()
        .atMost(PATIENCE)
        .pollInterval(Duration.ofMillis(50))
        .untilAsserted(
            () ->
                org.assertj.core.api.Assertions.assertThat(
                        tickets.column(STATES, (Object) ids.toArray(Long[]::new)))
                    .hasSameSizeAs(ids)
                    .allMatch(each -> each.startsWith(state + ":"), state));
  }

  @Override
  public void close() {
    workers.forEach(WorkerProcess::close);
  }
}
