package dev.holdfast.cli;

import dev.holdfast.bench.BenchOptions;
import dev.holdfast.bench.BenchReport;
import dev.holdfast.bench.CellName;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.JsonOutput;
import dev.holdfast.cli.output.UsageException;
import dev.holdfast.cli.root.HoldfastCommand;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** {@code holdfast bench}: its options and what it prints; what runs is given. */
@Command(
    name = "bench",
    description = {
      "Measure the worker on this machine and database, each figure beside the raw SQL that does"
          + " the same durable work.",
      "Works in the schema holdfast_bench of the configured database and drops it in the end;"
          + " without a configured database it starts an embedded one of its own."
    },
    footer = {
      "",
      "A figure says pass where it is good enough, aim where it is as good as we want it, fail"
          + " otherwise; the exit code does not depend on that.",
      "",
      "Examples:",
      "  holdfast bench drain",
      "  holdfast bench all --json > bench.json"
    })
public final class BenchCommand implements Callable<Integer> {
  private static final String ALL = "all";

  private final HoldfastCommand root;
  private final Benchmarks benchmarks;

  @Parameters(
      paramLabel = "CELL",
      arity = "1..*",
      description = "What to measure: ${COMPLETION-CANDIDATES}.",
      completionCandidates = Names.class)
  private List<String> cells = List.of();

  @Option(names = "--json", description = "Print one JSON document.")
  private boolean json;

  @Option(
      names = "--rounds",
      paramLabel = "N",
      defaultValue = "0",
      description = "How often each figure is taken; by default each cell's own number.")
  private int rounds;

  @Option(
      names = "--tickets",
      paramLabel = "N",
      defaultValue = "0",
      description =
          "Tickets per round; by default each cell's own number. inflight and single enqueues keep"
              + " theirs.")
  private int tickets;

  @Option(
      names = "--warm-up",
      paramLabel = "N",
      defaultValue = "-1",
      description = "Tickets before anything is measured; default 50000.")
  private int warmUp;

  @Option(
      names = "--concurrency",
      paramLabel = "N",
      defaultValue = "4000",
      description = "Tickets that the measured worker runs at once; default ${DEFAULT-VALUE}.")
  private int concurrency;

  @Option(
      names = "--quick",
      description = "Tiny numbers: shows that the benchmark works, not how fast anything is.")
  private boolean quick;

  public BenchCommand(HoldfastCommand root, Benchmarks benchmarks) {
    this.root = root;
    this.benchmarks = benchmarks;
  }

  /** The names that a user may ask for. */
  static final class Names implements Iterable<String> {
    @Override
    public java.util.Iterator<String> iterator() {
      List<String> names =
          Arrays.stream(CellName.values()).map(CellName::wireName).collect(Collectors.toList());
      names.add(ALL);
      return names.iterator();
    }
  }

  @Override
  public Integer call() {
    List<CellName> wanted = wanted();
    BenchReport report = benchmarks.run(root.settings(), wanted, options(), root.terminal());
    if (json) {
      root.terminal().line(JsonOutput.of(report));
    } else {
      BenchTable.print(report, root.terminal());
    }
    return ExitCode.DONE;
  }

  private List<CellName> wanted() {
    if (cells.contains(ALL)) {
      return List.of(CellName.values());
    }
    return cells.stream().map(BenchCommand::cell).distinct().toList();
  }

  private static CellName cell(String name) {
    return CellName.ofWireName(name)
        .orElseThrow(
            () ->
                new UsageException(
                    "\"%s\" cannot be measured; choose from %s"
                        .formatted(name, String.join(", ", new Names()))));
  }

  private BenchOptions options() {
    if (rounds < 0 || tickets < 0 || concurrency < 1) {
      throw new UsageException(
          "--rounds and --tickets must not be negative, --concurrency must be at least 1; leave"
              + " them out for the usual numbers");
    }
    int warmed =
        warmUp >= 0 ? warmUp : quick ? BenchOptions.QUICK_WARM_UP : BenchOptions.DEFAULT_WARM_UP;
    return new BenchOptions(rounds, tickets, warmed, concurrency, quick);
  }
}
