package dev.holdfast.e2e;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The part of {@code docs/model-failures.md} below its mark: a table for each fault and what people
 * see. {@link RetryTruthIT} fills it with what it saw; {@link #check} compares it with the file.
 */
final class RetryPage {
  private static final Path FILE = Path.of("docs/model-failures.md").toAbsolutePath();
  private static final String MARK = "<!-- what follows is made by RetryTruthIT -->\n";

  /** A shorter gap is no wait: it is what a busy machine takes. */
  private static final double SHORTEST_WAIT = 1.8;

  /** The spread of a cool-down of five seconds; a longer one has none here. */
  private static final double SPREAD = 1.1;

  /** Milliseconds are rounded. */
  private static final double ROUNDED = 0.01;

  /** Nobody waits so long between two calls, and no machine takes so long for one. */
  private static final double HANGS = 60;

  private final String head;
  private final Map<String, String> waitsBefore;
  private final StringBuilder text = new StringBuilder();
  private String title = "";

  private RetryPage(String head, Map<String, String> waitsBefore) {
    this.head = head;
    this.waitsBefore = waitsBefore;
  }

  static RetryPage read() throws IOException {
    String file = Files.readString(FILE);
    int mark = file.indexOf(MARK);
    assertThat(mark).as("the mark in " + FILE).isPositive();
    Map<String, String> waits = new HashMap<>();
    String title = "";
    for (String line : file.substring(mark).lines().toList()) {
      String[] cells = line.split(" \\| ");
      if (line.startsWith("## ")) {
        title = line;
      } else if (line.startsWith("| ") && cells.length == 4) {
        waits.put(title + cells[0], cells[2]);
      }
    }
    return new RetryPage(file.substring(0, mark), waits);
  }

  void row(Fault fault, TargetsAndKeys setup, RetrySeen.Row row) {
    String heading = "## " + fault.title();
    if (!heading.equals(title)) {
      title = heading;
      text.append('\n').append(heading);
      text.append("\n\n| | calls | waits between them | then |\n|---|---|---|---|\n");
    }
    String name = "| " + setup.words();
    String before = waitsBefore.get(heading + name);
    String waits = before != null && fits(before, row) ? before : waits(row.told());
    text.append(String.join(" | ", name, row.calls(), waits, row.then())).append(" |\n");
  }

  private static String waits(List<Double> gaps) {
    List<String> waits = new ArrayList<>();
    for (double gap : gaps) {
      if (gap >= SHORTEST_WAIT) {
        waits.add(String.format(Locale.ROOT, "%d s", Math.round(gap)));
      }
    }
    return waits.isEmpty() ? "none" : String.join(", ", waits);
  }

  /**
   * Whether the worker says that it makes the page's waits and no other, none longer than by its
   * spread, and calls so late at least. How much later says only how busy the machine is; on a busy
   * one the worker begins late what it waits for, and what is left may be shorter than what the
   * page shows.
   */
  private static boolean fits(String page, RetrySeen.Row row) {
    List<Double> said =
        page.equals("none")
            ? List.of()
            : Arrays.stream(page.split(", "))
                .map(wait -> Double.parseDouble(wait.replace(" s", "")))
                .toList();
    int met = 0;
    for (double gap : row.gaps()) {
      if (gap > HANGS) {
        return false;
      }
      if (met < said.size() && gap >= said.get(met) - ROUNDED) {
        met++;
      }
    }
    return met == said.size() && row.told().size() >= met && isWithin(said, row.told());
  }

  /** Whether each wait that the page would show is one of the page's, in their order. */
  private static boolean isWithin(List<Double> page, List<Double> told) {
    int next = 0;
    for (double wait : told) {
      if (wait < SHORTEST_WAIT) {
        continue;
      }
      while (next < page.size() && wait > page.get(next) + SPREAD) {
        next++;
      }
      if (next == page.size()) {
        return false;
      }
      next++;
    }
    return true;
  }

  void people(Map<String, List<String>> parts) {
    text.append("\nWith 1 target and 1 key people see:\n\n```text\n");
    parts.forEach(
        (part, lines) -> {
          text.append(part).append(lines.isEmpty() ? ": nothing\n" : ":\n");
          lines.forEach(line -> text.append("  ").append(line).append('\n'));
        });
    text.append("```\n");
  }

  /** Fails where the file says anything else; writes it anew where that is asked for. */
  void check() throws IOException {
    String made = head + MARK + text;
    if (Boolean.getBoolean("retries.write")) {
      Files.writeString(FILE, made);
    }
    assertThat(Files.readString(FILE))
        .as(
            "docs/model-failures.md is not what a worker does; if the worker is right:"
                + " mvn verify -Dtest=RetryTruthIT -Dsurefire.failIfNoSpecifiedTests=false"
                + " -Dretries.write=true")
        .isEqualTo(made);
  }

  /** A line without what differs from run to run. */
  static String withoutChance(String line, long id) {
    return line.replaceAll("\\d{4}-\\d\\d-\\d\\dT[\\d:.]+(Z|\\+00:00)", "TIME")
        .replaceAll("#" + id + "\\b", "#ID")
        .replaceAll("\\bticket=" + id + "\\b", "ticket=ID")
        .replaceAll("\"" + id + "\"", "\"ID\"")
        .replaceAll("(abort-retry |show |release |tickets/)" + id + "\\b", "$1ID")
        .replaceAll("\\bby \\S+-\\d+-[0-9a-f]{8}\\b", "by WORKER")
        .replaceAll("( ms: |lease no: )\\d+", "$1N")
        .replaceAll("\\b\\d+(s|m|ms) ago\\b", "N ago")
        .replaceAll("\\bin \\d+(s|m|ms|h)\\b", "in N")
        .replaceAll("\\bin \\d+\\.\\d s\\b", "in N s")
        .replaceAll("(\\b(?:turn|attempt): )\\d+", "$1N")
        .replaceAll("\\b([Tt]urn[ =]|attempt[ =])\\d+", "$1N")
        .replaceAll("\\b\\d+ ms\\b", "N ms")
        .replaceAll("127\\.0\\.0\\.1:\\d+", "127.0.0.1:PORT")
        .replaceAll("\"hold-\\d+\"", "\"hold-N\"")
        .replaceAll("\"ticket_id\":\\d+", "\"ticket_id\":ID")
        .replaceAll("(_outage_seconds\\{.*\\} )[\\d.]+", "$1N")
        .replaceAll("\\b\\d{3,} tokens\\b", "N tokens")
        .replaceAll("\\b[0-9a-f]{32}\\b", "HASH")
        .stripTrailing();
  }
}
