package dev.holdfast.chaos;

import dev.holdfast.e2e.Installation;
import dev.holdfast.testing.TicketDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

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

  /** Nobody finds leases that have run out. */
  RESCUE(
      new Edit(
          "postgres/expired_leases.sql",
          "WHERE l.expires_at < now()",
          "WHERE false AND l.expires_at < now()")),

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

  /** A worker goes on with its jobs though its lease is over. */
  GUARD(new Edit("worker/Heartbeater.java", "multipliedBy(4)", "multipliedBy(400)")),

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

  /** A claim leaves its tickets where the next one finds them. */
  TAKING {
    @Override
    void remove(TicketDatabase database) {
      replace(
          database, "take_tickets", "DELETE FROM holdfast.ready r WHERE r.ctid = ANY (tids);", "");
    }
  },

  /** The heartbeats of one worker count by its own clock, which is an hour late. */
  DATABASE_CLOCK {
    @Override
    void remove(TicketDatabase database) {
      database.run("CREATE TABLE chaos.late_workers (worker_id text)");
      replace(
          database,
          "renew_leases",
          "SET expires_at = now()",
          "SET expires_at = now() - (SELECT count(*) FROM chaos.late_workers w WHERE w.worker_id ="
              + " of_worker) * interval ''1 hour''");
    }
  },

  /** The first outage ends the loop that claims. */
  LOOPS(
      new Edit(
          "worker/Poller.java",
          "log.warn(\"polling failed: {}\", e.getMessage());",
          "round.stop();")),

  /** A result whose store met an outage is given up. */
  PATIENCE(new Edit("worker/ResultStore.java", "if (stopped.await(", "if (true || stopped.await(")),

  /** A result for which there is no room is given up at once. */
  SECOND_TRIES(
      new Edit(
          "worker/Completer.java", "mends || tries < MOST_REFUSED_TRIES", "mends && tries < 0"),
      new Edit("worker/Completer.java", "MOST_WAITS = 3", "MOST_WAITS = -1")),

  /** Whatever the database refuses is taken for an outage, and waited out. */
  REFUSALS(
      new Edit(
          "postgres/SqlErrors.java",
          "return switch (state) {",
          "if (!state.startsWith(\"HF\")) { return new DatabaseUnavailableException(message, e); }"
              + " return switch (state) {")),

  /** A claim takes one ticket, and the next one is a poll later. */
  BATCHES(
      new Edit("worker/Poller.java", "acquire(round.limit(), busy ? 0 : 1)", "acquire(1, 0)"),
      new Edit("worker/Poller.java", "lookAgain ? Duration.ZERO : ", ""),
      new Edit("worker/Poller.java", "wakeUps.signal().await(seen, pause)", "Thread.sleep(pause)"),
      new Edit(
          "worker/NotifiedClaim.java", "if (free == 0) {", "slots.release(free); if (true) {")),

  /** A claim locks its tables against whoever reads them, and not only the rows that it takes. */
  ROW_LOCKS {
    @Override
    void remove(TicketDatabase database) {
      replace(
          database,
          "take_tickets",
          "promoted := COALESCE(promoted, 0);",
          "promoted := COALESCE(promoted, 0); LOCK TABLE holdfast.ticket_base IN ACCESS EXCLUSIVE"
              + " MODE;");
    }
  },

  /** Viewers, heartbeats and jobs share a pool, and as many viewers are answered as ask. */
  OWN_POOLS(
      new Edit(
          "app/Pools.java",
          "return"
              + " add(database.withApplicationName(\"holdfast-heartbeat\").withPoolSize(1).pool());",
          "return web;"),
      new Edit(
          "app/Pools.java",
          "return add(database.withApplicationName(\"holdfast-worker\").pool());",
          "return web;")) {
    @Override
    void remove(Installation holdfast) throws IOException {
      super.remove(holdfast);
      holdfast.with("HOLDFAST_WEB_CONCURRENT_REQUESTS", "10000");
      holdfast.with("HOLDFAST_WEB_REQUESTS_PER_MINUTE", "0");
    }
  },

  /** Nobody reads what a session has done before. */
  JOURNAL(
      new Edit(
          "postgres/journal_page.sql",
          "WHERE j.ticket_id = :ticket AND j.seq",
          "WHERE j.ticket_id = -:ticket AND j.seq")),

  /** Nobody writes down that a provider should not be asked for a while. */
  COOLDOWNS {
    @Override
    void remove(TicketDatabase database) {
      database.run(
          """
          CREATE FUNCTION chaos.forget() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RETURN NULL; END $$;
          CREATE TRIGGER forget BEFORE INSERT OR UPDATE ON holdfast.provider_cooldowns
            FOR EACH ROW EXECUTE FUNCTION chaos.forget();
          """);
    }
  },

  /** A migration waits for a lock as long as it takes, and everybody behind it. */
  SHORT_LOCKS(
      new Edit("postgres/PatientMigration.java", "SET LOCAL lock_timeout = '2s'", "SELECT 1")),

  /** A stopped worker gives nothing back: it is killed. */
  DRAIN,

  /** A commit does not wait for the standby. */
  SYNCHRONY;

  private final List<Edit> edits;

  Protection(Edit... edits) {
    this.edits = List.of(edits);
  }

  /** Before the workers start. */
  void remove(TicketDatabase database) {}

  /** Before the workers start. */
  void remove(Installation holdfast) throws IOException {
    if (!edits.isEmpty()) {
      Path overlay = Files.createTempDirectory("chaos-overlay");
      for (Edit each : edits) {
        each.apply(overlay);
      }
      holdfast.overlay(overlay);
    }
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
