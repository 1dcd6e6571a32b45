package dev.holdfast;

import dev.holdfast.failure.Classifier;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.engine.PostgresBatchKeeper;
import dev.holdfast.postgres.engine.PostgresFigureKeeper;
import dev.holdfast.postgres.engine.PostgresTicketPruner;
import dev.holdfast.postgres.engine.PostgresTicketQueue;
import dev.holdfast.postgres.engine.PostgresWakeUps;
import dev.holdfast.postgres.engine.PostgresWorkerRegistry;
import dev.holdfast.postgres.engine.PostgresWorkflowSteps;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.queue.TicketListener;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.secret.Secrets;
import dev.holdfast.ticket.HoldfastException;
import dev.holdfast.worker.TicketHandler;
import dev.holdfast.worker.Tracing;
import dev.holdfast.worker.Worker;
import dev.holdfast.worker.WorkerIdentity;
import dev.holdfast.worker.WorkerPorts;
import dev.holdfast.worker.WorkerSettings;
import dev.holdfast.workflow.HumanHandler;
import dev.holdfast.workflow.WorkflowHandler;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ThreadLocalRandom;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Describes a worker; {@link #start} makes it. A null is refused where it is given. Not
 * thread-safe.
 */
public final class WorkerBuilder {
  private final DataSource dataSource;
  private final Map<String, TicketHandler> handlers = new LinkedHashMap<>();
  private final List<TicketListener> listeners = new ArrayList<>();
  private DataSource listening;
  private DataSource heartbeats;
  private WorkerSettings settings = WorkerSettings.defaults();
  private RetrySettings retry = RetrySettings.defaults();
  private Classifier classifier = Classifier.standard();
  private String schema = Holdfast.SCHEMA;
  private Runnable whenProvidersChange = () -> {};
  private Runnable whenPruned = () -> {};
  private Secrets secrets = Secrets.NONE;
  private Tracing tracing = Tracing.NONE;
  private @Nullable WorkerIdentity identity;

  WorkerBuilder(DataSource dataSource) {
    this.dataSource = Objects.requireNonNull(dataSource, "dataSource is null");
    this.listening = dataSource;
    this.heartbeats = dataSource;
  }

  /**
   * Runs tickets of a kind; tickets of other kinds are left to other workers.
   *
   * @throws IllegalArgumentException if the kind has a handler already
   */
  public WorkerBuilder handler(String kind, TicketHandler handler) {
    Objects.requireNonNull(kind, "kind is null");
    Objects.requireNonNull(handler, "handler is null");
    if (handlers.putIfAbsent(kind, handler) != null) {
      throw new IllegalArgumentException("kind " + kind + " has a handler already");
    }
    return this;
  }

  /**
   * Works workflows too, and the questions of their steps for people. The designs of the other
   * steps need handlers of their kinds. An expression that is more than a path needs {@code
   * dev.cel:cel}.
   */
  public WorkerBuilder workflows() {
    return handler(
            "workflow",
            new WorkflowHandler(
                new PostgresWorkflowSteps(dataSource, schema),
                PostgresTicketInbox.DEFAULT_MAX_PAYLOAD_BYTES))
        .handler(HumanHandler.KIND, new HumanHandler());
  }

  /**
   * Sets the worker's identity, for a caller that tells it to others before the worker starts. It
   * must be one that was made for this start. Without it the worker makes its own.
   */
  public WorkerBuilder identity(WorkerIdentity newIdentity) {
    this.identity = Objects.requireNonNull(newIdentity, "identity is null");
    return this;
  }

  /** Sets how many tickets run at once; default 100. */
  public WorkerBuilder concurrency(int concurrency) {
    return settings(settings.withConcurrency(concurrency));
  }

  /** Sets all settings at once, including that of an earlier {@link #concurrency}. */
  public WorkerBuilder settings(WorkerSettings newSettings) {
    this.settings = Objects.requireNonNull(newSettings, "settings is null");
    return this;
  }

  /** Sets the policy per category, which queue, design and ticket may override. */
  public WorkerBuilder retry(RetrySettings newRetry) {
    this.retry = Objects.requireNonNull(newRetry, "retry is null");
    return this;
  }

  public WorkerBuilder classifier(Classifier newClassifier) {
    this.classifier = Objects.requireNonNull(newClassifier, "classifier is null");
    return this;
  }

  /**
   * Adds a listener, which hears of committed changes on worker threads. May be called more than
   * once.
   */
  public WorkerBuilder listener(TicketListener listener) {
    listeners.add(Objects.requireNonNull(listener, "listener is null"));
    return this;
  }

  /**
   * Sets the data source that is listened on for notifications, if the usual one goes through a
   * transaction pooler: notifications do not come through a pooler. A worker also claims there what
   * it is notified of, so the user of this source needs a worker's rights. {@link
   * dev.holdfast.postgres.Database#listening} gives connections that hear of notifications a
   * millisecond sooner than others.
   */
  public WorkerBuilder listenOn(DataSource direct) {
    this.listening = Objects.requireNonNull(direct, "listenOn is null");
    return this;
  }

  /**
   * Sets the data source for renewing leases, if it is not the one for everything else. It is a
   * pool of one connection, which nothing else can keep busy.
   */
  public WorkerBuilder heartbeatOn(DataSource ownPool) {
    this.heartbeats = Objects.requireNonNull(ownPool, "heartbeatOn is null");
    return this;
  }

  /**
   * Sets what is called, on the listening thread, when the state of a provider's account or of a
   * budget has changed. It must not block.
   */
  public WorkerBuilder whenProvidersChange(Runnable hint) {
    this.whenProvidersChange = Objects.requireNonNull(hint, "whenProvidersChange is null");
    return this;
  }

  /**
   * Sets what clears something else away after finished tickets have been deleted, {@link
   * WorkerSettings#retentionInterval}. It runs on a thread of its own, so it may take its time. If
   * it throws, that is logged, and it runs again after a minute.
   */
  public WorkerBuilder whenPruned(Runnable duty) {
    this.whenPruned = Objects.requireNonNull(duty, "whenPruned is null");
    return this;
  }

  /** Sets the texts that are removed from each ticket's result, error and hold reason. */
  public WorkerBuilder secrets(Secrets hidden) {
    this.secrets = Objects.requireNonNull(hidden, "secrets is null");
    return this;
  }

  /** Sets what hears of claims and attempts as they begin and end. */
  public WorkerBuilder tracing(Tracing newTracing) {
    this.tracing = Objects.requireNonNull(newTracing, "tracing is null");
    return this;
  }

  /**
   * Sets another schema than {@code holdfast}, for tests and benchmarks beside a live one. Must
   * come before {@link #workflows}.
   */
  public WorkerBuilder schema(String newSchema) {
    this.schema = Objects.requireNonNull(newSchema, "schema is null");
    return this;
  }

  /**
   * Makes the worker and lets it claim.
   *
   * @throws HoldfastException if the schema is missing, too old or too new, the database cannot be
   *     reached, or Jackson is too old
   */
  public Worker start() {
    Migrations.requireJackson();
    Migrations.requireCurrent(dataSource, schema);
    RetryPolicy policy = new RetryPolicy(() -> ThreadLocalRandom.current().nextDouble());
    WorkerPorts ports =
        new WorkerPorts(
            new PostgresTicketQueue(dataSource, heartbeats, schema, policy, retry),
            new PostgresWorkerRegistry(dataSource, schema),
            new PostgresWakeUps(listening, dataSource, schema, whenProvidersChange),
            new PostgresTicketPruner(dataSource, schema),
            whenPruned,
            new PostgresFigureKeeper(dataSource, schema)::count,
            new PostgresBatchKeeper(dataSource, schema)::advance,
            listeners,
            secrets,
            tracing);
    WorkerIdentity own = identity == null ? WorkerIdentity.create() : identity;
    return new Worker(ports, handlers, classifier, settings, own).start();
  }
}
