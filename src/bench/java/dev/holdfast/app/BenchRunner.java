package dev.holdfast.app;

import dev.holdfast.bench.Bench;
import dev.holdfast.bench.BenchOptions;
import dev.holdfast.bench.BenchReport;
import dev.holdfast.bench.CellName;
import dev.holdfast.bench.Peer;
import dev.holdfast.cli.Benchmarks;
import dev.holdfast.cli.output.Terminal;
import dev.holdfast.config.DatabaseSettings;
import dev.holdfast.config.Settings;
import dev.holdfast.postgres.Database;
import dev.holdfast.ticket.HoldfastException;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/** Runs benchmarks on the configured database, and cleans up in every case. */
final class BenchRunner implements Benchmarks {
  private static final int POOL_SIZE = 10;

  private final Path home;
  private final List<String> program;
  private final List<Function<Database, Peer>> peers;

  /**
   * @param home the directory in which an embedded server gets a directory of its own while it is
   *     needed
   */
  BenchRunner(Path home) {
    this(home, thisProgram(), List.of());
  }

  /**
   * @param program the command that starts Holdfast in another process, without its arguments
   * @param peers make what is measured beside Holdfast, for the benchmark's database
   */
  BenchRunner(Path home, List<String> program, List<Function<Database, Peer>> peers) {
    this.home = home;
    this.program = List.copyOf(program);
    this.peers = List.copyOf(peers);
  }

  @Override
  public BenchReport run(
      Settings settings, List<CellName> cells, BenchOptions options, Terminal terminal) {
    try (BenchCleanup cleanup = new BenchCleanup()) {
      Database database = database(settings, options, terminal, cleanup);
      Bench bench =
          cleanup.add(Bench.open(database, program, options, line -> say(terminal, line)));
      peers.forEach(each -> bench.add(cleanup.add(each.apply(database))));
      return bench.run(cells, terminal.clock().instant());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new HoldfastException("the benchmark was interrupted", e);
    }
  }

  private Database database(
      Settings settings, BenchOptions options, Terminal terminal, BenchCleanup cleanup) {
    DatabaseSettings configured = settings.database();
    if (configured.url() != null) {
      return new Database(
          configured.url(), configured.user(), configured.password(), POOL_SIZE, "holdfast-bench");
    }
    say(terminal, "starting an embedded PostgreSQL for the benchmark ...");
    BenchServer server = cleanup.add(BenchServer.start(home, options.quick()));
    return Demo.database(server.address());
  }

  /** Returns the command that started this process: from its jar, otherwise from its classes. */
  private static List<String> thisProgram() {
    Path java = Path.of(System.getProperty("java.home"), "bin", "java");
    String classes = System.getProperty("java.class.path");
    List<String> command = new ArrayList<>(List.of(java.toString()));
    String options = System.getenv().getOrDefault("HOLDFAST_JAVA_OPTS", "").strip();
    if (!options.isEmpty()) {
      command.addAll(List.of(options.split("\\s+")));
    }
    boolean jar = classes.endsWith(".jar") && !classes.contains(File.pathSeparator);
    if (jar) {
      // The other process may have another working directory.
      classes = Path.of(classes).toAbsolutePath().toString();
    }
    command.addAll(jar ? List.of("-jar", classes) : List.of("-cp", classes, Main.class.getName()));
    return command;
  }

  private static void say(Terminal terminal, String line) {
    terminal.err().println(line);
    terminal.err().flush();
  }
}
