package dev.holdfast.app;

import dev.holdfast.batch.BatchDesk;
import dev.holdfast.batch.ReleaseDesk;
import dev.holdfast.cli.root.Backend;
import dev.holdfast.config.ConfigException;
import dev.holdfast.config.DatabaseSettings;
import dev.holdfast.config.Settings;
import dev.holdfast.limit.LimitDesk;
import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.Migrations;
import dev.holdfast.postgres.SingleConnection;
import dev.holdfast.postgres.batch.PostgresBatchDesk;
import dev.holdfast.postgres.batch.PostgresReleaseDesk;
import dev.holdfast.postgres.embedded.EmbeddedServer;
import dev.holdfast.postgres.embedded.EmbeddedServerException;
import dev.holdfast.postgres.inbox.PayloadLimits;
import dev.holdfast.postgres.inbox.PostgresDesignStore;
import dev.holdfast.postgres.inbox.PostgresLimitDesk;
import dev.holdfast.postgres.inbox.PostgresSpendingDesk;
import dev.holdfast.postgres.inbox.PostgresTicketDesk;
import dev.holdfast.postgres.inbox.PostgresTicketImport;
import dev.holdfast.postgres.inbox.PostgresTicketInbox;
import dev.holdfast.postgres.read.PostgresCheckup;
import dev.holdfast.postgres.read.PostgresRunReader;
import dev.holdfast.postgres.read.PostgresTicketFeed;
import dev.holdfast.postgres.read.PostgresTicketReader;
import dev.holdfast.postgres.schedule.PostgresScheduleDesk;
import dev.holdfast.postgres.session.PostgresJournalReader;
import dev.holdfast.queue.Channel;
import dev.holdfast.queue.DatabaseUnavailableException;
import dev.holdfast.queue.DesignStore;
import dev.holdfast.queue.TicketDesk;
import dev.holdfast.queue.TicketInbox;
import dev.holdfast.queue.read.Checkup;
import dev.holdfast.queue.read.TicketFeed;
import dev.holdfast.queue.read.TicketReader;
import dev.holdfast.queue.spending.SpendingDesk;
import dev.holdfast.queue.takeover.TicketImport;
import dev.holdfast.repair.trace.RunReader;
import dev.holdfast.schedule.ScheduleDesk;
import dev.holdfast.session.journal.JournalReader;
import dev.holdfast.ticket.HoldfastException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/** The database for a one-shot command: one connection, made at first use. Used by one thread. */
final class OneShot implements Backend {
  private static final String SCHEMA = "holdfast";

  /** The longest time of a checkup's statement. A checkup must end on a bad day, too. */
  private static final Duration CHECKUP_STATEMENT = Duration.ofSeconds(5);

  private final Database database;
  private final Database listening;
  private final SingleConnection connection;
  private final SingleConnection checkups;
  private final PayloadLimits limits;
  private final boolean embedded;
  private boolean checked;
  private @Nullable Traces traces;

  private OneShot(Database database, Database listening, PayloadLimits limits, boolean embedded) {
    this.database = database;
    this.listening = listening;
    this.connection = new SingleConnection(database.unpooled());
    this.checkups = new SingleConnection(database.impatient(CHECKUP_STATEMENT));
    this.limits = limits;
    this.embedded = embedded;
  }

  /**
   * Opens the configured database, or the embedded one that runs in this directory if none is
   * configured.
   *
   * @param home where a running embedded instance is noted: {@code .holdfast}
   * @throws DatabaseUnavailableException if there is neither
   */
  static OneShot open(Settings settings, Path home) {
    DatabaseSettings configured = settings.database();
    if (configured.url() != null) {
      Database database = database(settings, configured.url());
      String listenUrl = configured.listenUrl();
      Database listening = listenUrl == null ? database : database(settings, listenUrl);
      return new OneShot(database, listening, limits(settings), false);
    }
    EmbeddedServer.Address address =
        embedded(
            home,
            "start one here with: holdfast demo, or holdfast worker --embedded",
            DatabaseUnavailableException::new);
    Database database =
        new Database(address.jdbcUrl(), address.user(), address.password(), 1, "holdfast");
    return new OneShot(database, database, limits(settings), true);
  }

  /** Makes the exception for a missing database that fits the one who needs it. */
  interface Missing {
    RuntimeException of(String message, @Nullable Throwable cause);
  }

  /**
   * Returns the address of the embedded database that runs in this directory. A command without one
   * cannot reach any database. A worker or a console without one is wrongly configured, and no
   * supervisor is to start it again.
   *
   * @param otherwise what can be done besides naming a database
   */
  static EmbeddedServer.Address embedded(Path home, String otherwise, Missing missing) {
    try {
      return EmbeddedServer.running(home)
          .orElseThrow(
              () ->
                  missing.of(
                      "no database: set HOLDFAST_DATABASE_URL (or database.url in holdfast.yaml),"
                          + " or "
                          + otherwise,
                      null));
    } catch (EmbeddedServerException e) {
      throw missing.of(String.valueOf(e.getMessage()), e);
    }
  }

  static PayloadLimits limits(Settings settings) {
    return new PayloadLimits(settings.payloadMaxBytes(), settings.payloadMaxExpandedBytes());
  }

  /**
   * @throws ConfigException if the URL cannot be read
   */
  static Database database(Settings settings, String url) {
    DatabaseSettings own = settings.database();
    try {
      Database database = new Database(url, own.user(), own.password(), own.poolSize(), "holdfast");
      return own.passwordFile() == null
          ? database
          : database.withPasswordFrom(settings::currentPassword);
    } catch (HoldfastException e) {
      throw new ConfigException(String.valueOf(e.getMessage()), e);
    }
  }

  @Override
  public TicketInbox inbox() {
    if (traces == null) {
      traces = Traces.of(System.getenv(), Traces.OF_A_COMMAND);
    }
    return traces.over(new PostgresTicketInbox(checkedConnection(), SCHEMA, limits));
  }

  @Override
  public TicketDesk desk() {
    return new PostgresTicketDesk(checkedConnection()).through(Channel.CLI);
  }

  @Override
  public TicketReader reader() {
    return new PostgresTicketReader(checkedConnection());
  }

  @Override
  public LimitDesk limits() {
    return new PostgresLimitDesk(checkedConnection(), SCHEMA).through(Channel.CLI);
  }

  @Override
  public ScheduleDesk schedules() {
    return new PostgresScheduleDesk(checkedConnection(), SCHEMA).through(Channel.CLI);
  }

  @Override
  public BatchDesk batches() {
    return new PostgresBatchDesk(checkedConnection(), SCHEMA).through(Channel.CLI);
  }

  @Override
  public ReleaseDesk releases() {
    return new PostgresReleaseDesk(checkedConnection(), SCHEMA).through(Channel.CLI);
  }

  @Override
  public SpendingDesk spending() {
    return new PostgresSpendingDesk(checkedConnection(), SCHEMA).through(Channel.CLI);
  }

  @Override
  public JournalReader journals() {
    return new PostgresJournalReader(checkedConnection(), SCHEMA);
  }

  @Override
  public RunReader runs() {
    return new PostgresRunReader(checkedConnection(), SCHEMA);
  }

  @Override
  public DesignStore designs() {
    return new PostgresDesignStore(checkedConnection());
  }

  @Override
  public TicketImport imports() {
    return new PostgresTicketImport(checkedConnection(), SCHEMA);
  }

  @Override
  public TicketFeed feed(@Nullable Long ticketId) {
    return new PostgresTicketFeed(checkedConnection(), SCHEMA, ticketId);
  }

  /** Returns the connection, after a check that no development build before 0.1 made the schema. */
  private SingleConnection checkedConnection() {
    if (!checked) {
      Migrations.refuseDevelopmentBuild(connection, SCHEMA);
      checked = true;
    }
    return connection;
  }

  @Override
  public Checkup checkup() {
    return new PostgresCheckup(checkups, listening.impatient(CHECKUP_STATEMENT), SCHEMA);
  }

  @Override
  public Migrated migrate(IntConsumer ranOf) {
    Migrations.Result result = Migrations.migrate(database.unpooled(), SCHEMA, ranOf::accept);
    return new Migrated(result.applied(), result.version());
  }

  @Override
  public String address() {
    return database + (embedded ? " (embedded)" : "");
  }

  @Override
  public void close() {
    checkups.close();
    connection.close();
    if (traces != null) {
      traces.close();
    }
  }
}
