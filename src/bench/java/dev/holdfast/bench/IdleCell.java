package dev.holdfast.bench;

import dev.holdfast.postgres.bench.StatementMeter;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.worker.HandlerResult;
import dev.holdfast.worker.WorkerSettings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Counts the statements of a worker with default settings that has nothing to do. */
final class IdleCell implements Cell {
  private static final int SHOWN_CHARS = 60;

  private final List<Double> rates = new ArrayList<>();
  private final List<String> notes = new ArrayList<>();

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    BenchOptions options = lab.options();
    int rounds = options.rounds(2);
    int seconds = options.size(40, 2);
    lab.tables().clear();
    for (int round = 1; round <= rounds; round++) {
      boolean last = round == rounds;
      window(lab, options.size(15, 1), seconds, last);
      lab.round("idle", round, rounds, "%.2f/s", rates.getLast());
    }
    Figure figure =
        Figure.of(String.format(Locale.ROOT, "one worker, %d s", seconds), "statements/s", rates)
            .judgedBy(Bar.atMost(1.0, 0.3), options);
    for (String note : notes) {
      figure = figure.noting(note);
    }
    return new CellResult(
        CellName.IDLE.wireName(), CellName.IDLE.what(), List.of(figure), List.of());
  }

  private void window(Lab lab, int settleSeconds, int seconds, boolean tell)
      throws InterruptedException {
    try (BenchWorker worker =
            BenchWorker.start(
                lab,
                WorkerSettings.defaults(),
                RetrySettings.defaults(),
                context -> HandlerResult.done(null),
                event -> {});
        StatementMeter meter = StatementMeter.open(lab.direct())) {
      rest(settleSeconds);
      Map<String, Long> before = meter.read();
      long start = System.nanoTime();
      rest(seconds);
      Map<String, Long> calls = StatementMeter.between(before, meter.read());
      double elapsed = (System.nanoTime() - start) / 1e9;
      rates.add(calls.values().stream().mapToLong(Long::longValue).sum() / elapsed);
      if (tell) {
        explain(meter.countsStatements(), calls, elapsed);
      }
    }
  }

  private void explain(boolean statements, Map<String, Long> calls, double seconds) {
    notes.add(
        statements
            ? "by pg_stat_statements: all of the database's statements, BEGIN and COMMIT too"
            : "pg_stat_statements is not loaded: these are transactions, by pg_stat_database, which"
                + " is behind by up to a second and counts other sessions too");
    calls.forEach(
        (query, count) ->
            notes.add(
                String.format(
                    Locale.ROOT,
                    "%.2f/s %s",
                    count / seconds,
                    query.substring(0, Math.min(query.length(), SHOWN_CHARS)))));
  }

  private static void rest(int seconds) throws InterruptedException {
    if (new CountDownLatch(1).await(seconds, TimeUnit.SECONDS)) {
      throw new IllegalStateException("nobody can count this down");
    }
  }
}
