package dev.holdfast.chaos;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.e2e.HoldfastProcess;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
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

  private int rounds;

  @Override
  public void rage(Chaos chaos) throws Exception {
    Instant end = chaos.end();
    migrate(chaos);
    chaos.database.run(FORGET);
    HoldfastProcess killed = chaos.holdfast.start("migrate");
    chaos.pass(chaos.about(MIDDLE));
    killed.signal("KILL");
    killed.awaitOutcome();
    do {
      chaos.database.run(FORGET);
      migrate(chaos);
      rounds++;
    } while (Instant.now().isBefore(end));
    nextVersion(chaos);
  }

  private static void migrate(Chaos chaos) throws Exception {
    var outcome = chaos.holdfast.start("migrate").awaitOutcome();
    assertThat(outcome.exit()).as("%s", outcome).isZero();
  }

  /** One that this build does not know; running workers go on beside it. */
  private static void nextVersion(Chaos chaos) throws IOException {
    Path files = Files.createTempDirectory(chaos.jobs, "next");
    String locked =
        chaos.options.without() == Protection.SHORT_LOCKS
            ? "SELECT pg_sleep(" + chaos.options.length().toSeconds() + ");\n"
            : "";
    Files.writeString(files.resolve("V900__next.sql"), NEXT_VERSION + locked);
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
    assertThat(chaos.reasons()).as("why tickets ran again").isEmpty();
    assertThat(
            chaos.database.value(
                "SELECT max(version::int) FROM holdfast.flyway_schema_history WHERE success"))
        .isEqualTo("900");
  }
}
