package dev.holdfast.protocol;

import dev.holdfast.failure.Category;
import dev.holdfast.failure.Failure;
import dev.holdfast.postgres.engine.PostgresTicketQueue;
import dev.holdfast.queue.Claim;
import dev.holdfast.queue.ClaimRequest;
import dev.holdfast.queue.Finish;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.retry.Backoff;
import dev.holdfast.retry.BackoffType;
import dev.holdfast.retry.CategoryPolicy;
import dev.holdfast.retry.Counting;
import dev.holdfast.retry.RetryPolicy;
import dev.holdfast.retry.RetrySettings;
import dev.holdfast.testing.TicketDatabase;
import dev.holdfast.ticket.ClaimedTicket;
import dev.holdfast.ticket.Review;
import dev.holdfast.ticket.TicketWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The real queue on a real database, for workers that do one thing at a time. Time passes when it
 * is told to: whatever the database has written down of time is moved into the past.
 */
final class World {
  static final String KIND = "protocol";
  private static final TicketWait WAIT =
      new TicketWait(TicketWait.Kind.PROVIDER, List.of("provider:m"), "m: rate_limit", null);

  private final TicketDatabase database;
  private final PostgresTicketQueue queue;
  private final Variant variant;

  World(TicketDatabase database, Variant variant) {
    this.database = database;
    this.variant = variant;
    this.queue =
        new PostgresTicketQueue(
            database.dataSource(),
            database.dataSource(),
            "holdfast",
            new RetryPolicy(() -> 0),
            settings());
  }

  /** Every delay is the same, so that the model need not know how they grow. */
  private static RetrySettings settings() {
    Map<Category, CategoryPolicy> categories = new EnumMap<>(Category.class);
    for (Category each : Category.values()) {
      categories.put(
          each,
          new CategoryPolicy(
              Oracle.MAX_RETRIES, new Backoff(BackoffType.LINEAR, Oracle.RETRY_DELAY)));
    }
    return new RetrySettings(
        categories, Oracle.RETRY_DELAY, 0, 0, Oracle.CRASH_LIMIT, Counting.SHARED);
  }

  /** Without triggers, and not by TRUNCATE, which makes new files: shrinking does this often. */
  void clear() {
    database.run(
        """
        SET session_replication_role = replica;
        DELETE FROM holdfast.ticket_attempts;
        DELETE FROM holdfast.ticket_activity;
        DELETE FROM holdfast.ticket_waits;
        DELETE FROM holdfast.leases;
        DELETE FROM holdfast.ready;
        DELETE FROM holdfast.suspects;
        DELETE FROM holdfast.in_line;
        DELETE FROM holdfast.line_slots;
        DELETE FROM holdfast.deferred;
        DELETE FROM holdfast.ticket_base;
        SET session_replication_role = origin
        """);
  }

  long enqueue() {
    return database.enqueue(KIND);
  }

  List<Execution> claim(String worker, int limit) {
    Claim claim =
        queue.claim(new ClaimRequest(worker, Set.of(KIND), Set.of(), limit, Oracle.LEASE));
    List<Execution> executions = new ArrayList<>();
    for (ClaimedTicket each : claim.tickets()) {
      executions.add(new Execution(each.id(), each.lease().no()));
    }
    return executions;
  }

  Set<Long> heartbeat(String worker, Collection<Long> leases) {
    return queue.heartbeat(worker, leases, Oracle.LEASE).renewed();
  }

  FinishResult finish(Finish finish, boolean closes) {
    return queue.finish(List.of(finish), closes ? List.of(finish.leaseNo()) : List.of()).getFirst();
  }

  static Finish finish(Step.Kind kind, Execution execution) {
    long ticket = execution.ticket();
    long lease = execution.lease();
    return switch (kind) {
      case SUCCEED -> new Finish.Succeeded(ticket, lease, "{}", Review.NONE, null);
      case FAIL -> new Finish.Failed(ticket, lease, failure());
      case GIVE_BACK -> new Finish.GivenBack(ticket, lease);
      case DEFER -> new Finish.Deferred(ticket, lease, Oracle.RETRY_DELAY, WAIT);
      default -> throw new IllegalArgumentException(kind + " finishes nothing");
    };
  }

  private static Failure failure() {
    return new Failure("it broke", Category.TRANSIENT, "test", "", null, null, "it broke");
  }

  List<FinishResult> rescue() {
    return variant.rescue(database, queue);
  }

  void hold(long ticket) {
    database.run("SELECT holdfast.hold_ticket(?, 'ann', 'wait')", ticket);
  }

  void release(long ticket) {
    database.run("SELECT holdfast.release_ticket(?, 'ann')", ticket);
  }

  void pass(Duration time) {
    String by = "interval '" + time.toMinutes() + " minutes'";
    database.run(
        "WITH moved AS (UPDATE holdfast.deferred SET run_at = run_at - "
            + by
            + " RETURNING id, run_at), told AS (UPDATE holdfast.ticket_base b SET retry_after ="
            + " m.run_at FROM moved m WHERE b.id = m.id) UPDATE holdfast.leases SET expires_at ="
            + " expires_at - "
            + by
            + ", claimed_at = claimed_at - "
            + by
            + ", renewed_at = renewed_at - "
            + by);
  }

  /** Compares all that is stored with the model. */
  void check(Oracle oracle) {
    Map<Long, Map<String, @Nullable String>> rows = new TreeMap<>();
    for (Map<String, @Nullable String> row :
        database.rows(
            """
            SELECT b.id, b.state, b.fence, b.crash_count, COALESCE(b.retry_count, 0) AS retry_count,
              b.attempt_count,
              ARRAY(SELECT a.outcome FROM holdfast.ticket_attempts a WHERE a.ticket_id = b.id ORDER BY a.attempt)::text AS outcomes,
              COALESCE((SELECT max(l.id) FROM holdfast.leases l WHERE b.id = ANY (l.ids) AND b.state = 'ready' AND b.fence < l.id), 0) AS lease
            FROM holdfast.ticket_base b
            """)) {
      rows.put(Long.valueOf(String.valueOf(row.get("id"))), row);
    }
    oracle
        .tickets()
        .forEach(
            (id, ticket) -> {
              Map<String, @Nullable String> row = rows.get(id);
              if (row == null) {
                throw new Violation("ticket " + id + " is lost");
              }
              same(id, "state", state(ticket), row.get("state"));
              same(
                  id,
                  "outcomes",
                  "{" + String.join(",", ticket.outcomes) + "}",
                  row.get("outcomes"));
              same(id, "attempts", ticket.outcomes.size(), row.get("attempt_count"));
              same(id, "crashes", ticket.crashes, row.get("crash_count"));
              same(id, "retries", ticket.retries, row.get("retry_count"));
              long lease = ticket.place == Oracle.Place.RUNNING ? ticket.lease : 0;
              same(id, "lease", lease, row.get("lease"));
            });
    try {
      database.assertNoTicketIsLost();
    } catch (AssertionError e) {
      throw new Violation(String.valueOf(e.getMessage()));
    }
  }

  private static String state(Oracle.Ticket ticket) {
    return switch (ticket.place) {
      case CLAIMABLE, LATER, RUNNING -> "ready";
      case HELD -> "on_hold";
      case DONE -> "done";
    };
  }

  private static void same(long id, String what, Object expected, @Nullable Object found) {
    if (!String.valueOf(expected).equals(String.valueOf(found))) {
      throw new Violation(
          "ticket " + id + ": " + what + " is " + found + " and should be " + expected);
    }
  }
}
