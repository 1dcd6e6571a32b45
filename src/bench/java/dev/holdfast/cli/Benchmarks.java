package dev.holdfast.cli;

import dev.holdfast.bench.BenchOptions;
import dev.holdfast.bench.BenchReport;
import dev.holdfast.bench.CellName;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.config.Settings;
import java.util.List;

/** Runs benchmarks on the configured database, or on an embedded one of its own. */
public interface Benchmarks {
  /**
   * @param terminal gets the progress on its err
   * @throws dev.holdfast.ticket.HoldfastException if the benchmark cannot run, or a run was void
   */
  BenchReport run(Settings settings, List<CellName> cells, BenchOptions options, Terminal terminal);
}
