package dev.holdfast.app;

import dev.holdfast.bench.BenchReport;
import dev.holdfast.bench.CellResult;
import dev.holdfast.bench.Peer;
import dev.holdfast.bench.PerformancePage;
import dev.holdfast.bench.RatePlot;
import dev.holdfast.cli.BenchCommand;
import dev.holdfast.cli.Benchmarks;
import dev.holdfast.cli.Commands;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.ConfigLoader;
import dev.holdfast.peers.DbScheduler;
import dev.holdfast.peers.JobRunr;
import dev.holdfast.postgres.Database;
import dev.holdfast.ticket.HoldfastException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

/**
 * {@code holdfast bench} beside other queues. Writes what it found into {@code
 * docs/performance.md}. Options are system properties, as {@code mvn -Pbench} passes them: {@code
 * bench.cells} (comma-separated, or {@code all}), {@code bench.rounds}, {@code bench.tickets},
 * {@code bench.warm-up}, {@code bench.database} (a URL; empty for an embedded server), {@code
 * bench.page}.
 */
public final class PeerBench {
  private static final Path HOME = Path.of("target", "bench");
  private static final Path JAR = Path.of("target", "holdfast.jar");

  private PeerBench() {}

  public static void main(String[] arguments) {
    LogOutput.configure(LogLevel.of(System.getenv(), arguments));
    System.exit(run(Terminal.ofProcess(InstantSource.system())));
  }

  private static int run(Terminal terminal) {
    String url = option("bench.database");
    ConfigLoader loader =
        new ConfigLoader(HOME, url.isEmpty() ? Map.of() : Map.of("HOLDFAST_DATABASE_URL", url));
    HoldfastCommand root =
        new HoldfastCommand(
            terminal,
            loader,
            settings -> {
              throw new IllegalStateException("a benchmark opens its own connections");
            },
            "bench");
    Path page = Path.of(option("bench.page"));
    requirePlace(page);
    BenchRunner runner = new BenchRunner(HOME, program(), peers(terminal.clock()));
    Benchmarks benchmarks =
        (settings, cells, options, shown) -> {
          BenchReport report = runner.run(settings, cells, options, shown);
          write(report, page);
          return report;
        };
    return new Commands()
        .with("bench", command -> new BenchCommand(command, benchmarks))
        .run(root, commandLine());
  }

  private static List<Function<Database, Peer>> peers(InstantSource clock) {
    return List.of(database -> DbScheduler.open(database, clock), JobRunr::open);
  }

  /** The program as users start it, for the cells that need a process of its own. */
  private static List<String> program() {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    return List.of(java.toString(), "-jar", JAR.toAbsolutePath().toString());
  }

  private static String[] commandLine() {
    List<String> line = new ArrayList<>(List.of("bench"));
    line.addAll(List.of(option("bench.cells").split(",")));
    line.addAll(
        List.of(
            "--rounds", option("bench.rounds"),
            "--tickets", option("bench.tickets"),
            "--warm-up", option("bench.warm-up")));
    return line.toArray(String[]::new);
  }

  private static String option(String name) {
    return System.getProperty(name, "").strip();
  }

  /** Now rather than after an hour. */
  private static void requirePlace(Path page) {
    try {
      if (!PerformancePage.takes(Files.readString(page))) {
        throw new HoldfastException(page + " lacks the line " + PerformancePage.BEGIN);
      }
    } catch (IOException e) {
      throw new HoldfastException("cannot read " + page + " (" + e + ")", e);
    }
  }

  private static void write(BenchReport report, Path page) {
    try {
      Files.writeString(page, PerformancePage.update(Files.readString(page), report));
      Path plots = page.resolveSibling("performance");
      Files.createDirectories(plots);
      for (CellResult cell : report.cells()) {
        if (!cell.curves().isEmpty()) {
          String title = cell.name() + ": " + cell.what();
          Files.writeString(
              plots.resolve(cell.name() + ".svg"), RatePlot.svg(title, cell.curves()));
        }
      }
    } catch (IOException e) {
      throw new HoldfastException("cannot write " + page + " (" + e + ")", e);
    }
  }
}
