package dev.holdfast.web.console.home;

import dev.holdfast.queue.read.QueueHealth;
import dev.holdfast.queue.view.Figures;
import dev.holdfast.queue.view.Flow;
import dev.holdfast.web.console.view.Format;
import dev.holdfast.web.console.view.Sparkline;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.function.ToLongFunction;

/** Makes the queues of the home page, each with its attempts. */
final class HomeQueues {
  private static final int MOST = 12;

  /** The number of bars. A sparkline has about thirty, so one bar holds several spans. */
  private static final int BARS = 30;

  private HomeQueues() {}

  static List<Overview.QueueLine> of(Figures figures, List<QueueHealth> queues) {
    List<String> busiest = figures.flow().stream().map(Flow::queue).distinct().toList();
    return queues.stream()
        .sorted(Comparator.comparingInt(queue -> place(busiest, queue)))
        .limit(MOST)
        .map(queue -> line(figures, queue))
        .toList();
  }

  private static int place(List<String> busiest, QueueHealth queue) {
    int place = busiest.indexOf(queue.queue());
    if (place >= 0) {
      return place;
    }
    return busiest.size() + (queue.ready() + queue.inProgress() + queue.onHold() > 0 ? 0 : 1);
  }

  private static Overview.QueueLine line(Figures figures, QueueHealth queue) {
    return new Overview.QueueLine(
        queue,
        spark(figures, queue.queue(), Flow::succeeded, "succeeded"),
        spark(figures, queue.queue(), Flow::failed, "failed"));
  }

  private static Sparkline spark(
      Figures figures, String queue, ToLongFunction<Flow> which, String word) {
    int spans = figures.window().spans();
    int together = Math.max(1, Math.round((float) spans / BARS));
    List<Long> bars = new ArrayList<>(Collections.nCopies((spans + together - 1) / together, 0L));
    long all = 0;
    for (Flow each : figures.flow()) {
      long span =
          Duration.between(figures.from(), each.startsAt()).dividedBy(figures.window().span());
      if (each.queue().equals(queue) && span >= 0 && span < spans) {
        int bar = (int) span / together;
        bars.set(bar, bars.get(bar) + which.applyAsLong(each));
        all += which.applyAsLong(each);
      }
    }
    return Sparkline.of(
        bars, Format.count(all, "attempt") + " " + word + ", last " + figures.window().words());
  }
}
