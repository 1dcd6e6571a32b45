package dev.holdfast.bench;

import dev.holdfast.postgres.Database;
import dev.holdfast.postgres.bench.BenchSchema;
import dev.holdfast.postgres.bench.ServerFacts;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A benchmark on one database, in a schema of its own that {@link #close} drops. Used by one
 * thread, but any thread may close it.
 */
public final class Bench implements AutoCloseable {
  private final BenchSchema schema;
  private final Lab lab;
  private final List<Peer> peers = new ArrayList<>();

  private Bench(BenchSchema schema, Lab lab) {
    this.schema = schema;
    this.lab = lab;
  }

  /**
   * Makes the schema.
   *
   * @param program the command that starts Holdfast in another process, without its arguments
   * @param progress gets what happens, line by line
   * @throws dev.holdfast.ticket.HoldfastException if that is not possible; the message says what to
   *     do
   */
  public static Bench open(
      Database database, List<String> program, BenchOptions options, Consumer<String> progress) {
    Lab lab = new Lab(database, program, options, progress);
    BenchSchema schema = BenchSchema.create(lab.database());
    if (schema.foundLeftover()) {
      progress.accept("found the schema " + BenchSchema.NAME + " of an earlier run; dropped it");
    }
    return new Bench(schema, lab);
  }

  /** Measures the drain of this peer beside Holdfast's. The caller closes the peer. */
  public void add(Peer peer) {
    peers.add(peer);
  }

  /**
   * Measures and verifies.
   *
   * @param date for the report
   * @throws dev.holdfast.ticket.HoldfastException if a run did not end, or the tables are not
   *     complete and right after it
   */
  public BenchReport run(List<CellName> cells, Instant date) throws InterruptedException {
    BenchReport.Machine machine = MachineFacts.read();
    ServerFacts server = ServerFacts.of(lab.direct());
    List<CellResult> results = new ArrayList<>();
    Lab.TimeLeft left = new Lab.TimeLeft(InstantSource.system());
    for (CellName each : cells) {
      int done = results.size();
      lab.say(
          "%s, cell %d of %d%s: %s",
          each.wireName(), done + 1, cells.size(), left.after(done, cells.size()), each.what());
      lab.begin();
      results.add(cell(each).measure(lab));
    }
    return new BenchReport(
        date, machine, server.version(), server.settings(), lab.options(), results);
  }

  private Cell cell(CellName name) {
    return switch (name) {
      case DRAIN -> new DrainCell(peers);
      case LATENCY -> new LatencyCell();
      case ENQUEUE -> new EnqueueCell();
      case IDLE -> new IdleCell();
      case BACKLOG -> new BacklogCell();
      case DEFERRED -> new DeferredCell();
      case SNAPSHOT -> new SnapshotCell();
      case INFLIGHT -> new InflightCell();
      case FAILURES -> new FailuresCell();
      case ONE_BY_ONE -> new OneByOneCell();
      case FEATURES -> FeatureCells.features();
      case KEYS -> FeatureCells.keys();
      case RATES -> FeatureCells.rates();
      case TENANTS -> new TenantsCell();
      case CHAINS -> FeatureCells.chains();
      case FAN_OUT -> new FanOutCell();
      case BLOCKED -> FeatureCells.blocked();
      case START -> new StartCell();
      case CONSOLE -> new ConsoleCell();
    };
  }

  /** Ends what still runs and drops the schema. */
  @Override
  public void close() {
    lab.close();
    schema.close();
  }
}
