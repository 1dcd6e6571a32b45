package dev.holdfast.worker;

import static org.awaitility.Awaitility.await;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Classifier;
import dev.holdfast.postgres.engine.PostgresBatchKeeper;
import dev.holdfast.postgres.engine.PostgresFigureKeeper;
import dev.holdfast.postgres.engine.PostgresTicketPruner;
import dev.holdfast.postgres.engine.PostgresTicketQueue;
import dev.holdfast.postgres.engine.PostgresWakeUps;
import dev.holdfast.postgres.engine.PostgresWorkerRegistry;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.queue.TicketQueue;
import dev.holdfast.queue.WakeUps;
import dev.holdfast.queue.WorkerRegistry;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.Counting;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.secret.Secrets;
import dev.holdfast.testing.TicketDatabase;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.UnaryOperator;
import javax.sql.DataSource;

/**
 * Describes a worker on a real database, impatient where that only saves time, whose ports can be
 * wrapped. Its kind is its own, so that it leaves other tests' tickets alone.
 */
final class TestWorker {
  static final Duration SOON = Duration.ofMillis(20);

  /** A look for expired leases takes milliseconds of a processor. */
  private static final Duration RESCUE = Duration.ofMillis(250);

  final TicketDatabase database;
  final EventLog events = new EventLog();
  final String kind;
  private final Map<String, TicketHandler> handlers = new LinkedHashMap<>();
  private final Set<Long> begun = ConcurrentHashMap.newKeySet();
  private List<TicketListener> listeners = List.of(events);
  private RetrySettings retry = RetrySettings.defaults();
  private WorkerSettings settings =
      WorkerSettings.defaults()
          .withConcurrency(4)
          .withPollInterval(SOON)
          .withRescueInterval(RESCUE)
          .withDrainTimeout(Duration.ofSeconds(5));
  private DataSource dataSource;
  private UnaryOperator<TicketQueue> queue = UnaryOperator.identity();
  private UnaryOperator<WorkerRegistry> registry = UnaryOperator.identity();
  private UnaryOperator<WakeUps> wakeUps = UnaryOperator.identity();
  private Classifier classifier = Classifier.standard();
  private Tracing tracing = Tracing.NONE;

  TestWorker(TicketDatabase database) {
    this(database, "kind-" + UUID.randomUUID());
  }

  /** Beside another worker of this kind. */
  TestWorker(TicketDatabase database, String kind) {
    this.kind = kind;
    this.database = database;
    this.dataSource = database.dataSource();
  }

  TestWorker handler(TicketHandler handler) {
    handlers.put(
        kind,
        ticket -> {
          begun.add(ticket.ticketId());
          return handler.handle(ticket);
        });
    return this;
  }

  /** Waits for a ticket's handler: what is stopped before it begins sees nothing of it. */
  void awaitBegin(long id) {
    await("the handler of ticket " + id + " begins").until(() -> begun.contains(id));
  }

  TestWorker settings(UnaryOperator<WorkerSettings> change) {
    settings = change.apply(settings);
    return this;
  }

  TestWorker retry(RetrySettings newRetry) {
    retry = newRetry;
    return this;
  }

  TestWorker listeners(TicketListener... newListeners) {
    listeners = List.of(newListeners);
    return this;
  }

  TestWorker dataSource(DataSource newDataSource) {
    dataSource = newDataSource;
    return this;
  }

  TestWorker queue(UnaryOperator<TicketQueue> wrapper) {
    queue = wrapper;
    return this;
  }

  TestWorker registry(UnaryOperator<WorkerRegistry> wrapper) {
    registry = wrapper;
    return this;
  }

  TestWorker wakeUps(UnaryOperator<WakeUps> wrapper) {
    wakeUps = wrapper;
    return this;
  }

  TestWorker tracing(Tracing newTracing) {
    tracing = newTracing;
    return this;
  }

  /** So many retries in each category, at once, and no other limit. */
  static RetrySettings retries(int count) {
    Map<Category, CategoryPolicy> categories = new EnumMap<>(Category.class);
    for (Category category : Category.values()) {
      categories.put(
          category, new CategoryPolicy(count, new Backoff(BackoffType.NONE, Duration.ZERO)));
    }
    return new RetrySettings(categories, Duration.ofMinutes(1), 0, 0, 0, Counting.SHARED);
  }

  long enqueue() {
    return database.enqueue(kind);
  }

  List<Long> enqueue(int count) {
    return database.enqueue(kind, count);
  }

  Worker start() {
    return build().start();
  }

  Worker build() {
    PostgresTicketQueue postgres =
        new PostgresTicketQueue(
            dataSource, dataSource, "holdfast", new RetryPolicy(() -> 0), retry);
    WorkerPorts ports =
        new WorkerPorts(
            queue.apply(postgres),
            registry.apply(new PostgresWorkerRegistry(dataSource, "holdfast")),
            wakeUps.apply(new PostgresWakeUps(dataSource, dataSource, "holdfast", () -> {})),
            new PostgresTicketPruner(dataSource, "holdfast"),
            () -> {},
            new PostgresFigureKeeper(dataSource, "holdfast")::count,
            new PostgresBatchKeeper(dataSource, "holdfast")::advance,
            listeners,
            Secrets.NONE,
            tracing);
    return new Worker(ports, handlers, classifier, settings, WorkerIdentity.create("test"));
  }

  /** No notification ever arrives, as behind a transaction pooler. */
  static WakeUps deaf() {
    return new WakeUps() {
      @Override
      public void start(Listener listener) {}

      @Override
      public boolean proven() {
        return false;
      }

      @Override
      public void close() {}
    };
  }
}
