package dev.holdfast.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.zip.CRC32;

/**
 * The migrations in the jar: versioned ones, and repeatable ones with functions, views, triggers
 * and grants.
 */
final class MigrationFiles {
  /**
   * A placeholder in the first lines of each repeatable file: each is run again with each version.
   */
  static final String VERSION = "version";

  /**
   * The versioned files, from the first version to the newest; a test compares the list with the
   * files.
   */
  static final List<String> VERSIONED =
      List.of(
          "V1__tickets.sql",
          "V2__engine.sql",
          "V3__sessions.sql",
          "V4__accounts.sql",
          "V5__people.sql",
          "V6__legacy_tickets.sql",
          "V7__errors_and_output.sql",
          "V8__schedules.sql",
          "V9__questions.sql",
          "V10__figures.sql",
          "V11__dependencies.sql",
          "V12__deadlines.sql",
          "V13__limits.sql",
          "V14__workflows.sql",
          "V15__batches.sql",
          "V16__traces.sql",
          "V17__followers_in_place.sql",
          "V18__next_runs.sql",
          "V19__undo_of_many.sql",
          "V20__period_of_the_configuration.sql",
          "V21__turns_of_each_priority.sql");

  /**
   * The repeatable files, in the order in which Flyway runs them; a test compares the list with the
   * files.
   */
  static final List<String> REPEATABLE =
      List.of(
          "R__1_roles.sql",
          "R__2_rules.sql",
          "R__3_views.sql",
          "R__4_enqueue.sql",
          "R__4_filing.sql",
          "R__4_graphs.sql",
          "R__5_engine.sql",
          "R__5_lines.sql",
          "R__5_results.sql",
          "R__6_batches.sql",
          "R__6_decisions.sql",
          "R__6_figures.sql",
          "R__6_limits.sql",
          "R__6_people.sql",
          "R__6_releases.sql",
          "R__6_requests.sql",
          "R__6_schedules.sql",
          "R__6_workflows.sql",
          "R__7_rows.sql",
          "R__8_accounts.sql",
          "R__8_budgets.sql",
          "R__8_sessions.sql",
          "R__9_triggers.sql");

  private MigrationFiles() {}

  /**
   * Returns the checksum of each repeatable file, as Flyway notes it after running the file in the
   * schema.
   */
  static Map<String, Integer> checksums(String schema) {
    return schema.equals(Migrations.DEFAULT_SCHEMA) ? InDefaultSchema.CHECKSUMS : compute(schema);
  }

  /**
   * Returns the checksum of each versioned file, as Flyway notes it: of the text before a schema is
   * put in.
   */
  static Map<String, Integer> versionedChecksums() {
    return VERSIONED.stream()
        .collect(Collectors.toUnmodifiableMap(file -> file, file -> checksum(read(file))));
  }

  private static Map<String, Integer> compute(String schema) {
    Map<String, Integer> checksums = new HashMap<>();
    for (String file : REPEATABLE) {
      checksums.put(file, checksum(inSchema(read(file), schema)));
    }
    return Map.copyOf(checksums);
  }

  /** Returns the text that runs in a schema. */
  static String inSchema(String text, String schema) {
    return text.replace("${flyway:defaultSchema}", schema)
        .replace("${" + VERSION + "}", String.valueOf(Migrations.NEWEST));
  }

  /** Computes Flyway's checksum: of the lines, whatever ends them. */
  private static int checksum(String text) {
    CRC32 crc = new CRC32();
    text.lines().forEach(line -> crc.update(line.getBytes(StandardCharsets.UTF_8)));
    return (int) crc.getValue();
  }

  private static String read(String file) {
    try (InputStream in =
        MigrationFiles.class.getResourceAsStream("/" + Migrations.LOCATION + "/" + file)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + Migrations.LOCATION + "/" + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Holds the checksums, read once: a worker asks twice as it starts, and a command takes 20 ms to
   * read the files.
   */
  private static final class InDefaultSchema {
    static final Map<String, Integer> CHECKSUMS = compute(Migrations.DEFAULT_SCHEMA);
  }
}
