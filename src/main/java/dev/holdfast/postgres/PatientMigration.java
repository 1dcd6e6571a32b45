package dev.holdfast.postgres;

import dev.holdfast.retry.Sleeper;
import dev.holdfast.ticket.HoldfastException;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.function.Consumer;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.FlywayException;
import org.flywaydb.core.api.callback.Callback;
import org.flywaydb.core.api.callback.Context;
import org.flywaydb.core.api.callback.Event;
import org.flywaydb.core.api.configuration.FluentConfiguration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A migration that never waits long for a lock. If one waits for a table, all that come later wait
 * too: one transaction that somebody left open would stop every worker for as long as the migration
 * waits for it. So it gives up soon, lets the workers go on, and tries again. What was migrated
 * before stays, because each file is one transaction.
 */
final class PatientMigration {
  /**
   * The time limits of the migration. The first is longer than {@code deadlock_timeout}, after
   * which an autovacuum gives way, and shorter than the shortest sensible lease. A
   * statement_timeout of the database is for programs: one statement may take long. They are set
   * for each file's own transaction, because the connection may come from a pool.
   */
  private static final String OWN_TIMEOUTS =
      "SET LOCAL lock_timeout = '2s'; SET LOCAL statement_timeout = 0";

  private static final Logger log = LoggerFactory.getLogger(PatientMigration.class);
  private static final Duration PAUSE = Duration.ofSeconds(3);
  private static final int MOST_TRIES = 24;

  private final Flyway flyway;
  private final int pending;

  /**
   * @param pending the number of files that the schema lacks
   */
  PatientMigration(FluentConfiguration configuration, int pending, Migrations.Watcher watcher) {
    this.pending = pending;
    this.flyway =
        configuration
            .callbacks(
                new Each(Event.BEFORE_EACH_MIGRATE, PatientMigration::setTimeouts),
                new Each(Event.AFTER_EACH_MIGRATE, context -> watcher.ran(pending)))
            .load();
  }

  /** Returns how many files were run. */
  int run() {
    for (int tries = 1; ; tries++) {
      try {
        int applied = flyway.migrate().migrationsExecuted;
        return tries == 1 ? applied : pending;
      } catch (FlywayException e) {
        if (!isLocked(e)) {
          throw e;
        }
        if (tries == MOST_TRIES) {
          throw new HoldfastException(
              "the migration cannot get a lock: another transaction has been open all the time;"
                  + " holdfast doctor shows which; end it and run: holdfast migrate",
              e);
        }
        log.warn("the migration waits for another transaction to end, and tries again");
      }
      pause();
    }
  }

  /**
   * Returns whether a lock was not given in time, or a deadlock was found and the server ended the
   * migration's wait.
   */
  private static boolean isLocked(Throwable e) {
    String state = SqlErrors.within(e).map(SQLException::getSQLState).orElse("");
    return state.equals("55P03") || state.equals("40P01");
  }

  private static void pause() {
    try {
      Sleeper.REAL.sleep(PAUSE);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HoldfastException("the migration was interrupted; run: holdfast migrate", e);
    }
  }

  private static void setTimeouts(Context context) {
    try (Statement statement = context.getConnection().createStatement()) {
      statement.execute(OWN_TIMEOUTS);
    } catch (SQLException e) {
      throw SqlErrors.translate(e);
    }
  }

  /** Does something before or after each file, in its transaction. */
  private record Each(Event event, Consumer<Context> work) implements Callback {
    @Override
    public boolean supports(Event happening, Context context) {
      return happening == event;
    }

    @Override
    public boolean canHandleInTransaction(Event happening, Context context) {
      return true;
    }

    @Override
    public void handle(Event happening, Context context) {
      work.accept(context);
    }

    @Override
    public String getCallbackName() {
      return event.getId();
    }
  }
}
