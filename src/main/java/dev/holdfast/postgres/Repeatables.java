package dev.holdfast.postgres;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.CRC32;

/** The repeatable migrations in the jar: functions, views, triggers and grants. */
final class Repeatables {
  /** Stands in the first lines of each file, so that each is run again with each version. */
  static final String VERSION = "version";

  /** In the order in which Flyway runs them; a test holds the list against the files. */
  static final List<String> FILES =
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

  private Repeatables() {}

  /** The checksum of each file, as Flyway notes it after running the file in the schema. */
  static Map<String, Integer> checksums(String schema) {
    return schema.equals(Migrations.DEFAULT_SCHEMA) ? InDefaultSchema.CHECKSUMS : compute(schema);
  }

  private static Map<String, Integer> compute(String schema) {
    Map<String, Integer> checksums = new HashMap<>();
    for (String file : FILES) {
      checksums.put(file, checksum(inSchema(read(file), schema)));
    }
    return Map.copyOf(checksums);
  }

  /** The text that runs in a schema. */
  static String inSchema(String text, String schema) {
    return text.replace("${flyway:defaultSchema}", schema)
        .replace("${" + VERSION + "}", String.valueOf(Migrations.NEWEST));
  }

  /** As Flyway has it: of the lines, whatever ends them. */
  private static int checksum(String text) {
    CRC32 crc = new CRC32();
    text.lines().forEach(line -> crc.update(line.getBytes(StandardCharsets.UTF_8)));
    return (int) crc.getValue();
  }

  private static String read(String file) {
    try (InputStream in =
        Repeatables.class.getResourceAsStream("/" + Migrations.LOCATION + "/" + file)) {
      if (in == null) {
        throw new IllegalStateException("the jar lacks " + Migrations.LOCATION + "/" + file);
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Once: a worker asks twice as it starts, and a command takes 20 ms to read the files. */
  private static final class InDefaultSchema {
    static final Map<String, Integer> CHECKSUMS = compute(Migrations.DEFAULT_SCHEMA);
  }
}
