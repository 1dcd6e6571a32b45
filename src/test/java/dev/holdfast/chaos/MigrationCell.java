package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import org.awaitility.Awaitility;
import org.flywaydb.core.Flyway;

/**
 * The schema is migrated again and again while workers run: nothing to do, all functions, views and
 * triggers anew, the same by a process that is killed in the middle, and at last a new version that
 * adds a column and an index.
 */
final class MigrationCell implements Cell {
  /** As if another build had written them. */
  private static final String FORGET =
      "UPDATE holdfast.flyway_schema_history SET checksum = 0 WHERE version IS NULL";

  private static final Duration MIDDLE = Duration.ofMillis(1500);
  private static final String NEXT_VERSION =
      """
      SET LOCAL lock_timeout = '2s';
      ALTER TABLE holdfast.ticket_base ADD COLUMN next_note text;
      CREATE INDEX next_index ON holdfast.ticket_attempts (finished_at);
      """;

  private static final String WAITING =
      "SELECT count(*) FROM pg_locks l WHERE NOT l.granted AND l.locktype = 'relation' AND l.mode"
          + " IN ('AccessExclusiveLock', 'ShareRowExclusiveLock')";
  private static final double SOME = 0.3;
  private static final Duration PATIENCE = Duration.ofSeconds(60);
  private static final Duration OPEN = Duration.ofSeconds(8);

  private int rounds;
  private long besideOpen;

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    migrate(chaos);
    chaos.database.run(FORGET);
    HoldfastProcess killed = chaos.holdfast.start("migrate");
    chaos.pass(chaos.about(MIDDLE));
    killed.signal("KILL");
    killed.awaitOutcome();
    migrateBesideOpenTransaction(chaos);
    do {
      chaos.database.run(FORGET);
      migrate(chaos);
      rounds++;
    } while (Instant.now().isBefore(end));
    nextVersion(chaos);
  }

  /** Somebody wrote, and has not committed: the migration waits for that, and nobody for it. */
  private void migrateBesideOpenTransaction(Chaos chaos) throws Exception {
    chaos.database.run(FORGET);
    try (Connection connection = chaos.site.dataSource().getConnection();
        Statement statement = connection.createStatement()) {
      connection.setAutoCommit(false);
      statement.execute("LOCK TABLE holdfast.ticket_base IN ROW EXCLUSIVE MODE");
      HoldfastProcess waiting = chaos.holdfast.start("migrate");
      Awaitility.await("the migration waits")
          .atMost(PATIENCE)
          .until(() -> chaos.database.number(WAITING) > 0);
      Instant from = Instant.now();
      chaos.pass(OPEN);
      besideOpen = chaos.done(from, Instant.now());
      assertThat(waiting.isAlive()).as("%s", waiting).isTrue();
      connection.rollback();
      assertThat(waiting.awaitOutcome().exit()).as("%s", waiting).isZero();
    }
  }

  private static void migrate(Chaos chaos) throws Exception {
    var outcome = chaos.holdfast.start("migrate").awaitOutcome();
    assertThat(outcome.exit()).as("%s", outcome).isZero();
  }

  /** One that this build does not know; running workers go on beside it. */
  private static void nextVersion(Chaos chaos) throws IOException {
    Path files = Files.createTempDirectory(chaos.jobs, "next");
    Files.writeString(files.resolve("V900__next.sql"), NEXT_VERSION);
    Flyway.configure()
        .dataSource(chaos.site.dataSource())
        .locations("filesystem:" + files)
        .schemas("holdfast")
        .ignoreMigrationPatterns("*:missing")
        .load()
        .migrate();
  }

  @Override
  public double goesOn() {
    return 0.4;
  }

  @Override
  public void check(Chaos chaos) {
    assertThat(rounds).isPositive();
    assertThat(besideOpen)
        .as("tickets done while a migration waited for somebody's transaction")
        .isGreaterThan(Math.round(chaos.options.perSecond() * OPEN.toSeconds() * SOME));
    assertThat(chaos.reasons()).as("why tickets ran again").isEmpty();
    assertThat(
            chaos.database.value(
                "SELECT max(version::int) FROM holdfast.flyway_schema_history WHERE success"))
        .isEqualTo("900");
  }
}
