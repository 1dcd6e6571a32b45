package dev.holdfast.chaos;

import dev.holdfast.testing.TicketDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import tools.jackson.databind.json.JsonMapper;

/**
 * What the tickets do: each execution writes down by itself, in a file of its directory, that it
 * began, under which lease, and that it ended.
 */
final class Jobs {
  static final String LONG = "long";

  /** Longer than the lease of the run's workers. */
  static final String LONGEST = "longest";

  /** Longer than a worker drains if it is not told otherwise. */
  static final String MINUTE = "minute";

  /** Longer than a lease and a rescue, with a line for each half second. */
  static final String PATIENT = "patient";

  /** Its result takes room. */
  static final String LARGE = "large";

  static final String KILLER = "killer";

  private static final String FILE = "executions";
  private static final String SCRIPT =
      """
      printf 'start %%s %%s %%s\\n' "$HOLDFAST_TICKET_ID" "$HOLDFAST_ATTEMPT" "$HOLDFAST_LEASE_NO" >> executions
      %s
      printf 'end %%s %%s %%s\\n' "$HOLDFAST_TICKET_ID" "$HOLDFAST_ATTEMPT" "$HOLDFAST_LEASE_NO" >> executions
      printf '{"lease": %%s, "text": "%%s"}\\n' "$HOLDFAST_LEASE_NO" "$TEXT"
      """;
  private static final Map<String, String> WORK =
      Map.of(
          "quick",
          ":",
          "short",
          "sleep 0.3",
          LONG,
          "sleep 2",
          LONGEST,
          "sleep 8",
          MINUTE,
          "sleep 48",
          PATIENT,
          "for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do sleep 0.5; printf 'tick"
              + " %s %s %s\\n"
              + "' \"$HOLDFAST_TICKET_ID\" \"$HOLDFAST_ATTEMPT\" \"$HOLDFAST_LEASE_NO\" >>"
              + " executions; done",
          LARGE,
          "sleep 2; TEXT=$(head -c 90000 /dev/urandom | base64 -w 0)",
          KILLER,
          "sleep 0.5; kill -s KILL $PPID; sleep 5");

  private Jobs() {}

  /** Most are over at once, some are under way for long. */
  static String pick(Random random) {
    int one = random.nextInt(10);
    return one < 5 ? "quick" : one < 8 ? "short" : LONG;
  }

  static void define(TicketDatabase database, Path directory) {
    JsonMapper json = JsonMapper.builder().build();
    WORK.forEach(
        (name, work) ->
            database.run(
                "INSERT INTO holdfast.designs (name, version, kind, definition) VALUES (?, 1,"
                    + " 'command', ?::jsonb)",
                name,
                json.writeValueAsString(
                    Map.of(
                        "kind",
                        "command",
                        "command",
                        List.of("/bin/sh", "-c", SCRIPT.formatted(work)),
                        "directory",
                        directory.toString(),
                        "review",
                        "none"))));
  }

  /** The lines that the jobs left: start or end, ticket, attempt, lease. */
  static List<String[]> written(Path directory) throws IOException {
    Path file = directory.resolve(FILE);
    return Files.exists(file)
        ? Files.readAllLines(file).stream().map(line -> line.split(" ")).toList()
        : List.of();
  }

  /** Tickets of which an execution went on when the next had begun: the lines are in order. */
  static List<String> overlaps(Path directory) throws IOException {
    Map<String, String> newest = new HashMap<>();
    List<String> overlapping = new ArrayList<>();
    for (String[] line : written(directory)) {
      if (line[0].equals("start")) {
        newest.put(line[1], line[3]);
      } else if (!line[3].equals(newest.get(line[1]))) {
        overlapping.add("ticket " + line[1] + " under lease " + line[3]);
      }
    }
    return overlapping;
  }
}
