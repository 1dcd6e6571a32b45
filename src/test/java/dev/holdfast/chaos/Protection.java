package dev.holdfast.chaos;

import dev.holdfast.e2e.Installation;
import dev.holdfast.testing.TicketDatabase;

/**
 * What can be taken away, to see that a cell finds it missing. Which was for which is in ADR 22.
 */
enum Protection {
  /** All are there. */
  NOTHING,

  /** A finish believes its worker: no lease, fence or state is looked at. */
  FENCE {
    @Override
    void remove(TicketDatabase database) {
      database.run(
          """
          CREATE OR REPLACE FUNCTION holdfast.store_successes(
            ticket_ids bigint[], lease_nos bigint[], new_states text[], json_results text[], closed bigint[])
          RETURNS TABLE (ticket_id bigint, lease_no bigint) LANGUAGE plpgsql AS $$
          #variable_conflict use_column
          BEGIN
            WITH finished AS (
              UPDATE holdfast.ticket_base b
              SET fence = i.lease_no, state = i.state, result = i.result::jsonb, attempt_count = b.attempt_count + 1
              FROM unnest(ticket_ids, lease_nos, new_states, json_results) AS i (id, lease_no, state, result)
              WHERE b.id = i.id RETURNING b.*)
            INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
            SELECT id, fence, now(), now(), attempt_count, 'succeeded', 'unknown' FROM finished
            ON CONFLICT DO NOTHING;
            PERFORM holdfast.close_leases(closed);
          END $$
          """);
    }
  },

  /** Nobody looks for leases that have run out. */
  RESCUE {
    @Override
    void remove(Installation holdfast) {
      holdfast.with("HOLDFAST_WORKER_RESCUE_INTERVAL", "1h");
    }
  },

  /** A heartbeat is answered, and renews nothing. */
  HEARTBEATS {
    @Override
    void remove(TicketDatabase database) {
      database.run(
          """
          CREATE OR REPLACE FUNCTION holdfast.renew_leases(of_worker text, lease_nos bigint[], for_ms bigint)
          RETURNS TABLE (id bigint, renewed boolean, revoked bigint[]) LANGUAGE sql AS $$
            SELECT l.id, true, l.revoked FROM holdfast.leases l WHERE l.id = ANY (lease_nos)
          $$
          """);
    }
  },

  /** A commit is answered before it is written. */
  DURABILITY {
    @Override
    void remove(TicketDatabase database) {
      database.run("ALTER SYSTEM SET synchronous_commit = off");
      database.run("ALTER SYSTEM SET wal_writer_delay = '10s'");
      database.run("ALTER SYSTEM SET wal_writer_flush_after = '1GB'");
      database.run("SELECT pg_reload_conf()");
    }
  },

  /** Deaths of a ticket's workers are failures as any other, and no ticket is suspected. */
  SUSPICION {
    @Override
    void remove(Installation holdfast) {
      holdfast.with("HOLDFAST_RETRY_CRASH_LIMIT", "0");
    }
  },

  /** A worker waits as long as somebody else holds a lock. */
  LOCK_TIMEOUT {
    @Override
    void remove(TicketDatabase database) {
      database.run(
          """
          DO $$ DECLARE f regprocedure; BEGIN
            FOR f IN SELECT p.oid FROM pg_proc p WHERE pronamespace = 'holdfast'::regnamespace AND prokind = 'f' LOOP
              EXECUTE format('ALTER FUNCTION %s RESET lock_timeout', f);
            END LOOP;
          END $$
          """);
    }
  },

  /** A stopped worker gives nothing back: it is killed. */
  DRAIN,

  /** A commit does not wait for the standby. */
  SYNCHRONY;

  /** Before the workers start. */
  void remove(TicketDatabase database) {}

  /** Before the workers start. */
  void remove(Installation holdfast) {}
}
