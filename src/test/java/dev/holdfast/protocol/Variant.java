package dev.holdfast.protocol;

import dev.holdfast.postgres.engine.PostgresTicketQueue;
import dev.holdfast.queue.FinishResult;
import dev.holdfast.testing.TicketDatabase;
import java.util.List;

/**
 * The protocol as it is, and as it must not be. What is broken is SQL in the test's own database.
 */
enum Variant {
  AS_IT_IS("nothing"),

  /** A result is believed whatever lease it comes under. */
  NO_FENCE("state is done and should be ready") {
    @Override
    void breakIn(TicketDatabase database) {
      replace(
          database, "store_successes", "FROM finished;", "FROM finished ON CONFLICT DO NOTHING;");
      replace(database, "store_successes", "AND b.fence < i.lease_no", "");
      replace(database, "store_successes", "JOIN held h", "LEFT JOIN held h");
      replace(
          database,
          "store_successes",
          "h.claimed_at",
          "COALESCE(h.claimed_at, now()) AS claimed_at");
      replace(
          database, "store_successes", "h.worker_id", "COALESCE(h.worker_id, '''') AS worker_id");
    }
  },

  /** One worker's clock is an hour late, and its heartbeats count by it. */
  CLIENT_CLOCK("rescued what ran under no lease that was over") {
    @Override
    void breakIn(TicketDatabase database) {
      replace(
          database,
          "renew_leases",
          "SET expires_at = now()",
          "SET expires_at = now() - (of_worker = ''worker-1'')::int * interval ''1 hour''");
    }
  },

  /** Whatever stands under a lease that is over is ready again, finished or not. */
  RESCUE_OF_ANY_STATE("state is ready and should be") {
    /** The last guard below every function: without it the database itself would refuse this. */
    @Override
    void breakIn(TicketDatabase database) {
      database.run("ALTER TABLE holdfast.ticket_base DISABLE TRIGGER refuse_transition");
    }

    @Override
    void mend(TicketDatabase database) {
      database.run("ALTER TABLE holdfast.ticket_base ENABLE TRIGGER refuse_transition");
    }

    @Override
    List<FinishResult> rescue(TicketDatabase database, PostgresTicketQueue queue) {
      database.run(
          """
          WITH over AS (SELECT l.id, unnest(l.ids) AS ticket FROM holdfast.leases l WHERE l.expires_at < now()),
          again AS (
            UPDATE holdfast.ticket_base b SET state = 'ready', completed_at = NULL, held_at = NULL, hold_reason = NULL, hold_actions = NULL
            FROM over o WHERE b.id = o.ticket AND b.state <> 'ready' RETURNING b.*)
          INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
          SELECT priority, created_at, id, queue, kind FROM again
          """);
      return queue.rescue(10);
    }
  },

  /** A heartbeat is answered and renews nothing. */
  DEAD_HEARTBEAT("rescued what ran under no lease that was over") {
    @Override
    void breakIn(TicketDatabase database) {
      replace(
          database,
          "renew_leases",
          "SET expires_at = now() + renew_leases.for_ms * interval ''1 millisecond'',",
          "SET");
    }
  },

  /** A claim leaves its tickets where the next one finds them. */
  CLAIM_WITHOUT_TAKING("misplaced tickets") {
    @Override
    void breakIn(TicketDatabase database) {
      replace(
          database, "take_tickets", "DELETE FROM holdfast.ready r WHERE r.ctid = ANY (tids);", "");
    }
  };

  private final String finding;

  Variant(String finding) {
    this.finding = finding;
  }

  /** What the model says of it. */
  String finding() {
    return finding;
  }

  void breakIn(TicketDatabase database) {}

  /** Puts back what is no function. */
  void mend(TicketDatabase database) {}

  List<FinishResult> rescue(TicketDatabase database, PostgresTicketQueue queue) {
    return queue.rescue(10);
  }

  /** Changes a part of a function's text; the part has to be there. */
  private static void replace(TicketDatabase database, String function, String part, String other) {
    database.run(
        """
        DO $do$ DECLARE
          before text := pg_get_functiondef('holdfast.%s'::regproc);
          after text := replace(before, '%s', '%s');
        BEGIN
          IF before = after THEN
            RAISE EXCEPTION 'the function %s has no such part';
          END IF;
          EXECUTE after;
        END $do$
        """
            .formatted(function, part, other, function));
  }
}
