package dev.holdfast.web.console.home;

import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.view.EventFigure;
import dev.holdfast.queue.view.Figures;
import dev.holdfast.queue.view.ModelFigure;
import dev.holdfast.retry.DurationText;
import dev.holdfast.web.console.view.Format;
import java.math.BigDecimal;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.function.Predicate;

/** Makes the numbers at the top of the home page. */
final class HomeTiles {
  private HomeTiles() {}

  static List<Overview.Tile> of(Figures figures, List<QueueHealth> queues, long held, Instant now) {
    return List.of(
        succeeded(figures),
        failed(figures),
        held(held, figures),
        ready(queues, now),
        running(queues),
        spending(figures));
  }

  private static long sum(Figures figures, Predicate<EventFigure> which) {
    return figures.events().stream().filter(which).mapToLong(EventFigure::n).sum();
  }

  private static Overview.Tile succeeded(Figures figures) {
    long done = sum(figures, each -> each.event().equals("succeeded"));
    double hours = figures.window().span().multipliedBy(figures.window().spans()).toMinutes() / 60d;
    return new Overview.Tile(
        "Succeeded",
        Format.number(done),
        Format.compact(done / hours) + " an hour",
        "/tickets?state=done",
        "good");
  }

  private static Overview.Tile failed(Figures figures) {
    long done = sum(figures, each -> each.event().equals("succeeded"));
    long failed = sum(figures, HomeCharts::isFailure);
    return new Overview.Tile(
        "Failed attempts",
        Format.number(failed),
        failed == 0
            ? "none in this time"
            : String.format(Locale.ROOT, "%.1f%% of all", 100d * failed / (done + failed)),
        "/tickets",
        failed == 0 ? "" : "bad");
  }

  private static Overview.Tile held(long waiting, Figures figures) {
    long held = sum(figures, each -> each.event().equals("held"));
    long released = sum(figures, each -> each.event().equals("released"));
    return new Overview.Tile(
        "Wait for a person",
        Format.number(waiting),
        Format.number(held) + " held, " + Format.number(released) + " released",
        "/inbox",
        waiting == 0 ? "" : "wait");
  }

  private static Overview.Tile ready(List<QueueHealth> queues, Instant now) {
    String oldest =
        queues.stream()
            .map(QueueHealth::oldestReadyAt)
            .filter(Objects::nonNull)
            .min(Comparator.<Instant>naturalOrder())
            .map(at -> "oldest waits " + DurationText.rough(Duration.between(at, now)))
            .orElse("nothing waits");
    return new Overview.Tile(
        "Ready",
        Format.number(queues.stream().mapToLong(QueueHealth::ready).sum()),
        oldest,
        "/queues",
        "");
  }

  private static Overview.Tile running(List<QueueHealth> queues) {
    long retrying = queues.stream().mapToLong(QueueHealth::retrying).sum();
    return new Overview.Tile(
        "Running",
        Format.number(queues.stream().mapToLong(QueueHealth::inProgress).sum()),
        Format.number(retrying) + " wait for a retry",
        "/tickets?state=in_progress",
        "");
  }

  private static Overview.Tile spending(Figures figures) {
    BigDecimal cost =
        figures.models().stream()
            .map(ModelFigure::costUsd)
            .filter(Objects::nonNull)
            .reduce(BigDecimal.ZERO, BigDecimal::add);
    long in = figures.models().stream().mapToLong(ModelFigure::tokensIn).sum();
    long out = figures.models().stream().mapToLong(ModelFigure::tokensOut).sum();
    return new Overview.Tile(
        "Cost of models",
        Format.money(cost),
        Format.compact(in) + " tokens in, " + Format.compact(out) + " out",
        "/providers",
        "");
  }
}
