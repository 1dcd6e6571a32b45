package dev.holdfast.bench;

import dev.holdfast.postgres.bench.TableCounts;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;

/**
 * Measures many slow tickets at once. The worker has a process of its own, so that its memory can
 * be read.
 */
final class InflightCell implements Cell {
  private static final Duration PATIENCE = Duration.ofMinutes(5);
  private static final int WARM_UP = 100_000;
  private static final int TICKETS = 200_000;
  private static final int LARGEST_HEAP_MB = 320;
  private static final int QUICK = 20;
  private static final int SMALL = 1_000;
  private static final int LARGE = 8_000;
  private static final int LARGEST = 10_000;
  private static final String IDEAL = "ideal";

  private final List<Double> probe = new ArrayList<>();

  /** The figures of one process. */
  private record Width(List<Double> rates, long residentMb) {}

  @Override
  public CellResult measure(Lab lab) throws InterruptedException {
    BenchOptions options = lab.options();
    int rounds = options.rounds(3);
    lab.warmUp();
    for (int round = 0; round < rounds; round++) {
      probe.add(RawRun.of(lab, options.size(200_000, 200)).rate());
    }
    int[] widths = options.quick() ? new int[] {QUICK} : new int[] {SMALL, LARGE, LARGEST};
    List<Figure> figures = new ArrayList<>();
    for (int width : widths) {
      Width measured = run(lab, width, rounds);
      figures.add(rate(width, measured).judgedBy(bar(width), options));
      figures.add(memory(width, measured).judgedBy(Bar.atMost(600, 350), options));
    }
    return new CellResult(
        CellName.INFLIGHT.wireName(), CellName.INFLIGHT.what(), figures, List.of());
  }

  private static Bar bar(int width) {
    return switch (width) {
      case SMALL -> Bar.atLeast(4_900, 4_900);
      case LARGE -> Bar.atLeast(35_000, 35_000);
      default -> Bar.wanted(45_000);
    };
  }

  private Figure rate(int width, Width measured) {
    List<Double> ideal =
        Stream.generate(() -> width * 1000.0 / InflightWorker.WAIT_MILLIS)
            .limit(measured.rates().size())
            .toList();
    return Figure.of(
            String.format(Locale.ROOT, "%,d in flight", width), "tickets/s", measured.rates())
        .beside(IDEAL, ideal)
        .beside(PROBE + ", no-op", probe);
  }

  private static Figure memory(int width, Width measured) {
    return Figure.of(
            String.format(Locale.ROOT, "%,d in flight, resident", width),
            "MB",
            List.of((double) measured.residentMb()))
        .noting("peak of the worker's process, heap of at most " + LARGEST_HEAP_MB + " MB");
  }

  private static Width run(Lab lab, int width, int rounds) throws InterruptedException {
    List<String> command = new ArrayList<>(lab.java());
    command.addAll(
        List.of(
            "-Xmx" + LARGEST_HEAP_MB + "m",
            "-Dlogback.configurationFile=dev/holdfast/bench/child-logback.xml",
            "-cp",
            System.getProperty("java.class.path"),
            InflightWorker.class.getName(),
            Integer.toString(width)));
    lab.tables().clear();
    lab.tables().forgetWorkers();
    ChildProcess child =
        lab.keep(ChildProcess.start(command, lab.database(), Path.of("").toAbsolutePath()));
    try {
      child.await(InflightWorker.UP, PATIENCE);
      phase(lab, child, lab.options().size(WARM_UP, 4 * width));
      List<Double> rates = new ArrayList<>();
      for (int round = 1; round <= rounds; round++) {
        rates.add(phase(lab, child, lab.options().size(TICKETS, 4 * width)));
        lab.round(
            String.format(Locale.ROOT, "inflight, %,d at once", width),
            round,
            rounds,
            "%,.0f/s",
            rates.getLast());
      }
      return new Width(rates, child.peakResidentMegabytes());
    } finally {
      child.close();
      lab.forget(child);
    }
  }

  private static double phase(Lab lab, ChildProcess child, int tickets)
      throws InterruptedException {
    lab.tables().clear();
    lab.pause();
    lab.enqueue(tickets, Lab.ticket());
    lab.tables().settle();
    child.say(Integer.toString(tickets));
    child.await(InflightWorker.LISTENING, PATIENCE);
    lab.resume();
    String rate = child.await(InflightWorker.RATE, PATIENCE);
    DrainRun.awaitRest(lab);
    lab.tables().counts().require("the worker's run", new TableCounts(tickets, tickets, 0, 0));
    return Double.parseDouble(rate.substring(InflightWorker.RATE.length()).strip());
  }
}
