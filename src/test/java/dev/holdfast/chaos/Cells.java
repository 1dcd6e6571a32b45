package dev.holdfast.chaos;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** All cells by name, in the order of the table in docs/reliability.md. */
final class Cells {
  /** What every build runs, in less than a minute. */
  static final List<String> SHORT = List.of("mixed");

  private Cells() {}

  static Map<String, Cell> all() {
    Map<String, Cell> cells = new LinkedHashMap<>();
    cells.put("mixed", Cells::mixed);
    cells.put("worker-kill", WorkerCells::kill);
    cells.put("crash-recovery", WorkerCells::crash);
    cells.put("worker-freeze", WorkerCells::freeze);
    cells.put("postgres-restart", ServerCells::restart);
    cells.put("backend-kill", new Bystander(ServerCells::killBackends));
    cells.put("pool-exhaustion", new PoolCell());
    cells.put("idle-in-tx", new Bystander(new IdleTransactionCell()));
    cells.put("active-readers", new Bystander(new ReadersCell()));
    cells.put("high-load", LoadCell.high());
    cells.put("event-burst", LoadCell.burst());
    cells.put("network-cut", new NetworkCell());
    cells.put("half-open", new HalfOpenCell());
    cells.put("late-heartbeat", new HeartbeatCell());
    cells.put("claim-death", new ClaimCell());
    cells.put("killer-ticket", new KillerCell());
    cells.put("sqlstate", new SqlStateCell());
    cells.put("busy-viewers", new ViewersCell());
    cells.put("rolling-deploy", new DeployCell());
    cells.put("clock", new ClockCell());
    cells.put("disk-full", new DiskCell());
    cells.put("pgbouncer", new PoolerCell());
    cells.put("failover", new FailoverCell());
    cells.put("backlog", new BacklogCell());
    cells.put("migration", new MigrationCell());
    cells.put("hostile-viewers", new HostileViewersCell());
    cells.put("model-storm", new ModelStormCell());
    cells.put("memory", new MemoryCell());
    cells.put("sessions", new SessionsCell());
    return cells;
  }

  /** What hits workers and server directly, one after the other in the seed's order. */
  private static void mixed(Chaos chaos) throws Exception {
    List<Cell> some =
        new ArrayList<>(
            List.of(WorkerCells::kill, ServerCells::killBackends, ServerCells::restart));
    Collections.shuffle(some, chaos.random);
    for (Cell each : some) {
      each.rage(chaos);
    }
  }
}
