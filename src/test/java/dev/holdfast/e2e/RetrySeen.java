package dev.holdfast.e2e;

import dev.holdfast.testing.ModelRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

/**
 * What was seen of the tickets of {@link RetryTruthIT}, in words that are the same in each run.
 *
 * @param told the bodies of the webhook's calls
 */
record RetrySeen(
    TicketRows rows,
    HoldfastProcess worker,
    HoldfastProcess watch,
    List<String> told,
    List<ModelRequest> requests) {
  /** What the design of {@link Fault#SILENT} gives a call, in seconds. */
  private static final double SILENCE = 4;

  /**
   * One line of a fault's table.
   *
   * @param gaps the seconds between one call and the next
   * @param told the seconds that the worker says it waits, in their order
   */
  record Row(String calls, List<Double> gaps, List<Double> told, String then) {}

  Row row(Fault fault, TargetsAndKeys setup, long id) throws IOException, InterruptedException {
    String suffix = "." + fault.name() + "." + setup.name();
    List<ModelRequest> all =
        requests.stream().filter(each -> each.model().endsWith(suffix)).toList();
    if (fault == Fault.SILENT) {
      // The worker's clock begins before a late server's: its own time of each call but the last.
      List<Double> times = seconds("latencyMs", id);
      List<Double> waits = times.subList(0, times.size() - 1);
      List<Double> told = waits.stream().map(wait -> Math.min(wait, SILENCE)).toList();
      return new Row(calls(fault, setup, all), waits, told, then(id));
    }
    List<Double> gaps = new ArrayList<>();
    for (int i = 1; i < all.size(); i++) {
      gaps.add((all.get(i).atNanos() - all.get(i - 1).atNanos()) / 1e9);
    }
    List<Double> told = new ArrayList<>(seconds("backoffMs", id));
    told.addAll(seconds("delayMs", id));
    return new Row(calls(fault, setup, all), gaps, told, then(id));
  }

  private List<Double> seconds(String key, long id) {
    return rows
        .column(
            "SELECT details->>? FROM holdfast.session_events WHERE ticket_id = ? AND event IN"
                + " ('attempt_finished', 'auto_retry_start') AND details->>? IS NOT NULL ORDER BY"
                + " id",
            key,
            id,
            key)
        .stream()
        .map(ms -> Double.parseDouble(ms) / 1e3)
        .toList();
  }

  private String calls(Fault fault, TargetsAndKeys setup, List<ModelRequest> all)
      throws IOException, InterruptedException {
    List<String> words = new ArrayList<>();
    long refused = fault == Fault.REFUSED ? refused(fault, setup) : 0;
    long first = refused + count(all, "first.", "sk-key-1");
    words.add(Long.toString(first));
    add(words, count(all, "first.", "sk-key-2"), "with the second key");
    add(words, count(all, "spare.", "sk-key-1"), "to the second target");
    return String.join(", ", words);
  }

  private static void add(List<String> words, long count, String what) {
    if (count > 0) {
      words.add(count + " " + what);
    }
  }

  private static long count(List<ModelRequest> all, String model, String key) {
    return all.stream()
        .filter(each -> each.model().startsWith(model) && each.key().equals(key))
        .count();
  }

  /** Calls that reach nobody are counted by the worker alone. */
  private long refused(Fault fault, TargetsAndKeys setup) throws IOException, InterruptedException {
    String provider = "provider=\"" + fault.provider(setup) + "\"";
    return worker
        .get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith("holdfast_llm_calls_total{") && line.contains(provider))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(line.lastIndexOf(' '))))
        .sum();
  }

  private String then(long id) {
    return rows.value(
        """
        SELECT CASE
          WHEN t.state = 'on_hold' THEN '`on_hold`, ' || split_part(t.hold_reason, ':', 1)
          WHEN t.state = 'ready' AND a.outcome = 'deferred'
            THEN '`ready` when the provider opens, no retry used'
          WHEN t.state = 'ready'
            THEN '`ready`, ' || t.error_category || ', retry ' || t.retry_count || ' of '
              || (t.retry_strategy->>'maxRetries')
          ELSE '`' || t.state || '`' END
        FROM holdfast.tickets t JOIN holdfast.ticket_attempts a ON a.ticket_id = t.id
        WHERE t.id = ?
        """,
        id);
  }

  /** What people see of a ticket; each part under its own title. */
  Map<String, List<String>> people(Fault fault, long id, String show)
      throws IOException, InterruptedException {
    String provider = fault.provider(TargetsAndKeys.ONE_ONE);
    Map<String, List<String>> parts = new LinkedHashMap<>();
    parts.put("show", plain(show.lines().takeWhile(line -> !line.isBlank()), id));
    parts.put(
        "watch",
        plain(
            watch
                .stdout()
                .lines()
                .filter(line -> line.contains(" #" + id + " ") && !line.contains(" edited by "))
                .map(line -> line.substring(line.indexOf('#'))),
            id));
    // Events of one millisecond come in any order.
    parts.computeIfPresent("watch", (title, lines) -> lines.stream().sorted().toList());
    parts.put(
        "log",
        plain(
            worker
                .stderr()
                .lines()
                .filter(line -> line.contains("ticket=" + id + " ") || line.contains(provider))
                .map(line -> line.replaceFirst("^\\S+ ", "")),
            id));
    parts.put(
        "webhook",
        plain(told.stream().filter(each -> each.contains("\"subject\":\"" + id + "\"")), id));
    parts.put(
        "/metrics",
        plain(
            worker
                .get("/metrics")
                .body()
                .lines()
                .filter(line -> line.contains("provider=\"" + provider + "\""))
                .filter(line -> !line.startsWith("holdfast_llm_latency") && !line.endsWith(" 0.0")),
            id));
    return parts;
  }

  /** Equal lines once, with their number, in the order of their first. */
  private static List<String> plain(Stream<String> lines, long id) {
    Map<String, Integer> times = new LinkedHashMap<>();
    lines.forEach(line -> times.merge(RetryPage.withoutChance(line, id), 1, Integer::sum));
    return times.entrySet().stream()
        .map(
            each ->
                each.getValue() == 1
                    ? each.getKey()
                    : String.format(Locale.ROOT, "%s  (%d times)", each.getKey(), each.getValue()))
        .toList();
  }
}
