package dev.holdfast.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.holdfast.bench.Bar;
import dev.holdfast.bench.BenchOptions;
import dev.holdfast.bench.BenchReport;
import dev.holdfast.bench.CellName;
import dev.holdfast.bench.CellResult;
import dev.holdfast.bench.Figure;
import dev.holdfast.bench.Series;
import dev.holdfast.cli.output.ExitCode;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.cli.root.HoldfastCommand;
import dev.holdfast.config.ConfigLoader;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

class BenchCommandTest {
  private static final Series FIFTY = new Series(50, 40, 60, List.of(40.0, 50.0, 60.0));
  private static final Series HUNDRED = new Series(100, 100, 100, List.of(100.0, 100.0, 100.0));
  private static final Series HALF = new Series(0.5, 0.4, 0.6, List.of(0.4, 0.5, 0.6));

  private final StringWriter out = new StringWriter();
  private final StringWriter err = new StringWriter();
  private final List<CellName> wanted = new ArrayList<>();
  private final List<BenchOptions> asked = new ArrayList<>();

  private int run(String... arguments) {
    Terminal terminal =
        new Terminal(
            new PrintWriter(out),
            new PrintWriter(err),
            InputStream.nullInputStream(),
            InstantSource.system());
    HoldfastCommand root =
        new HoldfastCommand(
            terminal,
            new ConfigLoader(Path.of("no-such-directory"), Map.of()),
            settings -> {
              throw new AssertionError("a benchmark opens its own connections");
            },
            "ann");
    Benchmarks benchmarks =
        (settings, cells, options, given) -> {
          wanted.addAll(cells);
          asked.add(options);
          return report();
        };
    return new Commands()
        .with("bench", command -> new BenchCommand(command, benchmarks))
        .run(root, arguments);
  }

  private static BenchReport report() {
    Figure drain =
        new Figure(
            "200,000 no-op tickets",
            "tickets/s",
            FIFTY,
            List.of(new Figure.Reference("raw probe", HUNDRED, HALF)),
            new Bar("raw probe", Bar.Direction.AT_LEAST, 0.55, 0.8),
            Bar.Outcome.FAIL,
            List.of("measured on a ship"));
    return new BenchReport(
        Instant.parse("2026-11-21T10:00:00Z"),
        new BenchReport.Machine("EPYC", 2, 24_000, "Linux", "Java 25", 0.1),
        "18.6",
        Map.of("fsync", "on"),
        new BenchOptions(0, 0, 0, 1, false),
        List.of(new CellResult("drain", "no-op tickets", List.of(drain), List.of())));
  }

  @Test
  @DisplayName("the table shows median and spread, the reference, the ratio, the bar and the word")
  void table() {
    assertThat(run("bench", "drain")).isZero();
    assertThat(out.toString())
        .contains("EPYC, 2 cpus, 24,000 MB, load 0.10; Java 25; PostgreSQL 18.6")
        .containsPattern(
            "drain +200,000 no-op tickets +50.00 \\(40.00 to 60.00\\) tickets/s"
                + " +raw probe 100 \\(100 to 100\\)"
                + " +0.50 \\(0.40 to 0.60\\) +>= 0.55x +>= 0.80x +fail")
        .contains("drain: measured on a ship");
  }

  @Test
  @DisplayName("--json is one document with everything in it")
  void json() {
    assertThat(run("bench", "drain", "--json")).isZero();
    JsonNode report = new JsonMapper().readTree(out.toString());
    assertThat(report.get("date").asString()).isEqualTo("2026-11-21T10:00:00Z");
    assertThat(report.get("machine").get("cpus").asInt()).isEqualTo(2);
    JsonNode figure = report.get("cells").get(0).get("figures").get(0);
    assertThat(figure.get("value").get("rounds")).hasSize(3);
    assertThat(figure.get("references").get(0).get("ratio").get("median").asDouble())
        .isEqualTo(0.5);
    assertThat(figure.get("bar").get("must").asDouble()).isEqualTo(0.55);
    assertThat(figure.get("outcome").asString()).isEqualTo("fail");
  }

  @Test
  @DisplayName("all is every cell, once")
  void all() {
    assertThat(run("bench", "drain", "all")).isZero();
    assertThat(wanted).containsExactly(CellName.values());
  }

  @Test
  @DisplayName("the warm-up is 50,000 tickets, unless the numbers are to be tiny or are given")
  void warmUp() {
    run("bench", "drain", "one-by-one");
    run("bench", "drain", "--quick");
    run("bench", "drain", "--warm-up", "7", "--rounds", "2", "--tickets", "3");
    assertThat(wanted.subList(0, 2)).containsExactly(CellName.DRAIN, CellName.ONE_BY_ONE);
    assertThat(asked).extracting(BenchOptions::warmUp).containsExactly(50_000, 20, 7);
    assertThat(asked.getLast().rounds()).isEqualTo(2);
    assertThat(asked.getLast().tickets()).isEqualTo(3);
  }

  @Test
  @DisplayName("an unknown cell is refused with the ones there are")
  void unknownCell() {
    assertThat(run("bench", "drian")).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString())
        .isEqualToNormalizingNewlines(
            "holdfast: \"drian\" cannot be measured; choose from drain, latency, enqueue, idle,"
                + " backlog, deferred, snapshot, inflight, failures, one-by-one, features, keys,"
                + " rates, tenants, chains, fan-out, blocked, start, console, all\n");
    assertThat(asked).isEmpty();
  }

  @Test
  @DisplayName("numbers that make no sense are refused")
  void badNumbers() {
    assertThat(run("bench", "drain", "--rounds", "-1")).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run("bench", "drain", "--concurrency", "0")).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run("bench", "drain", "--tickets", "x")).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(run("bench")).isEqualTo(ExitCode.WRONG_USAGE);
    assertThat(err.toString()).hasLineCount(4);
  }
}
