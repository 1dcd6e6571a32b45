package dev.holdfast.postgres.bench;

import dev.holdfast.ticket.HoldfastException;
import java.util.List;
import javax.sql.DataSource;

/** Holdfast's tables in the benchmark's schema: prepared before a run, examined after it. */
public final class TicketTables {
  private static final List<String> EMPTIED =
      List.of(
          "ticket_base",
          "ready",
          "deferred",
          "in_line",
          "line_slots",
          "line_gates",
          "claim_limits",
          "limit_gates",
          "ticket_dependencies",
          "ticket_parents",
          "workflows",
          "leases",
          "ticket_attempts",
          "ticket_activity",
          "ticket_guidance");
  private static final List<String> KEPT = List.of("queues", "lanes");
  private static final String NO_LEASES =
      "SELECT (NOT EXISTS (SELECT FROM holdfast_bench.leases))::int";
  private static final String TRUTH = BenchSql.load("truth");
  private static final String ADD_FINISHED = BenchSql.load("add_finished");
  private static final String ADD_HELD = BenchSql.load("add_held");
  private static final String ADD_CHAINS = BenchSql.load("add_chains");
  private static final String ADD_BLOCKED = BenchSql.load("add_blocked");

  private final DataSource own;
  private final TableReset upkeep;

  /**
   * @param own gives connections without a time limit
   */
  public TicketTables(DataSource own) {
    this.own = own;
    this.upkeep = new TableReset(own, EMPTIED, KEPT);
  }

  /** Deletes all tickets; queues stay, and so does a worker that runs. */
  public void clear() {
    upkeep.truncate();
  }

  /** Deletes the workers of earlier runs, none of which runs now. */
  public void forgetWorkers() {
    BenchSql.execute(own, "TRUNCATE " + BenchSchema.NAME + ".workers");
  }

  /**
   * Brings the tables into the state after a quiet night: vacuumed, analyzed, and with a checkpoint
   * if the user may ask for it.
   */
  public void settle() {
    upkeep.settle();
  }

  /** Adds tickets that were finished long ago, each with its attempt row; not through the API. */
  public void addFinished(int tickets) {
    BenchSql.update(own, ADD_FINISHED, tickets);
  }

  /** Adds tickets that wait for a person; not through the API. */
  public void addHeld(int tickets, int priority) {
    BenchSql.update(own, ADD_HELD, priority, tickets);
  }

  /** Adds tickets each of which waits for a held one; not through the API. */
  public void addBlocked(int tickets) {
    BenchSql.update(own, ADD_BLOCKED, tickets);
  }

  /** Adds tickets in chains, each link waiting for the one before it; not through the API. */
  public void addChains(int tickets, int length) {
    BenchSql.update(own, ADD_CHAINS, length, tickets);
  }

  /** Stores a design of any kind, unless it is there. */
  public void putDesign(String name, String kind, String definition) {
    BenchSql.insert(
        own,
        "INSERT INTO "
            + BenchSchema.NAME
            + ".designs (name, version, kind, definition) VALUES (?, 1, ?, ?::jsonb) ON CONFLICT DO"
            + " NOTHING",
        name,
        kind,
        definition);
  }

  /** Adds queues without tickets, so that limits can be set for them. */
  public void addQueue(String name) {
    BenchSql.execute(
        own,
        "INSERT INTO "
            + BenchSchema.NAME
            + ".queues (name) VALUES ('"
            + name
            + "') ON CONFLICT DO NOTHING");
  }

  /** Uses up all rates: no token comes to any of them for a day. */
  public void useUpRates() {
    BenchSql.execute(
        own, "UPDATE " + BenchSchema.NAME + ".limit_gates SET full_at = now() + interval '1 day'");
  }

  /** Returns true if no ticket is in progress. */
  public boolean atRest() {
    return BenchSql.numbers(own, NO_LEASES)[0] == 1;
  }

  public TableCounts counts() {
    long[] found = BenchSql.numbers(own, TRUTH);
    if (found[1] != found[2]) {
      throw new HoldfastException(
          "the tickets count " + found[2] + " attempts, but there are " + found[1] + " rows");
    }
    return new TableCounts(found[0], found[1], found[3], found[4]);
  }
}
