-- The same work in less time: claim, successes, enqueue. What each costs, and what was tried, is in docs/adr/0008-engine-speed.md.
-- Earlier binaries: they work on. claim_tickets answers as before, but for tickets that it promoted: they come with the same claim.
-- finish_succeeded is left for them.

-- Claims up to at_most ready tickets for a worker under one new lease, and promotes deferred tickets that came due before.
-- Always one row at least: the first two columns say what was promoted and what is due next; the rest is null without a ticket.
-- Several small statements instead of one large: what an idle worker mostly runs is the few of them that find nothing to do, and each
-- costs what it touches. All of them are one transaction with the caller's call, and each sees what those before it did.
-- Indexes: deferred_by_time, ready_in_claim_order (one scan per lane, in claim order), primary keys.
-- Traps: `id IN (SELECT ... LIMIT)` plans as a scan of the whole table, so rows are taken by ctid, which the row locks make safe; the
-- LATERAL with LIMIT keeps to the indexes.
CREATE OR REPLACE FUNCTION claim_tickets(
  of_kinds text[], from_queues text[], at_most integer, for_worker text, for_ms bigint, behind_ids bigint[])
RETURNS TABLE (
  promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer,
  created_at timestamptz, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamptz, expires_at timestamptz,
  design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  next_due timestamptz;
  tids tid[];
  taken bigint[];
  new_lease bigint;
  until timestamptz := now() + for_ms * interval '1 millisecond';
BEGIN
  IF cardinality(behind_ids) = 0 THEN
    -- Before PostgreSQL 17 an infinite time cannot be subtracted from.
    SELECT d.run_at INTO next_due FROM ${flyway:defaultSchema}.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1;
    IF next_due <= now() THEN
      WITH due AS MATERIALIZED (
        SELECT d.ctid AS tid FROM ${flyway:defaultSchema}.deferred d
        WHERE d.run_at <= now()
        ORDER BY d.run_at, d.id
        LIMIT 1000
        FOR UPDATE SKIP LOCKED
      ), moved AS (
        DELETE FROM ${flyway:defaultSchema}.deferred d WHERE d.ctid = ANY (ARRAY(SELECT tid FROM due))
        RETURNING d.priority, d.created_at, d.id, d.queue, d.kind
      )
      INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
      SELECT priority, created_at, id, queue, kind FROM moved;
      GET DIAGNOSTICS promoted = ROW_COUNT;
      SELECT d.run_at INTO next_due FROM ${flyway:defaultSchema}.deferred d WHERE d.run_at < 'infinity' ORDER BY d.run_at, d.id LIMIT 1;
    END IF;
    next_due_ms := extract(epoch FROM next_due - now())::double precision * 1000;
  END IF;
  promoted := COALESCE(promoted, 0);

  WITH behind AS MATERIALIZED (
    -- One per lane, whatever has been done to those tickets since.
    SELECT DISTINCT ON (b.queue, b.kind) b.queue, b.kind, ~b.priority AS rank, b.created_at, b.id
    FROM unnest(behind_ids) AS a (id)
    CROSS JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = a.id LIMIT 1) b
    ORDER BY b.queue, b.kind, rank, b.created_at, b.id
  ), picked AS (
    SELECT r.tid, r.id
    FROM ${flyway:defaultSchema}.lanes n
    JOIN ${flyway:defaultSchema}.queues q ON q.name = n.queue AND q.paused_at IS NULL
    LEFT JOIN behind ON behind.queue = n.queue AND behind.kind = n.kind
    CROSS JOIN LATERAL (
      SELECT r.ctid AS tid, r.id, r.priority, r.created_at FROM ${flyway:defaultSchema}.ready r
      WHERE r.queue = n.queue AND r.kind = n.kind
        AND (~r.priority, r.created_at, r.id)
          > (COALESCE(behind.rank, -2147483648), COALESCE(behind.created_at, '-infinity'), COALESCE(behind.id, -9223372036854775808))
      ORDER BY ~r.priority, r.created_at, r.id
      LIMIT at_most
      FOR UPDATE SKIP LOCKED
    ) r
    WHERE n.kind = ANY (of_kinds) AND (cardinality(from_queues) = 0 OR n.queue = ANY (from_queues))
    ORDER BY r.priority DESC, r.created_at, r.id
    LIMIT at_most
  )
  SELECT array_agg(p.tid), array_agg(p.id) INTO tids, taken FROM picked p;
  IF taken IS NULL THEN
    RETURN NEXT;
    RETURN;
  END IF;

  DELETE FROM ${flyway:defaultSchema}.ready r WHERE r.ctid = ANY (tids);
  new_lease := nextval('${flyway:defaultSchema}.lease_no_seq');
  INSERT INTO ${flyway:defaultSchema}.leases (id, claimed_at, expires_at, worker_id, ids) VALUES (new_lease, now(), until, for_worker, taken);
  RETURN QUERY
  SELECT
    promoted, next_due_ms,
    b.id, b.queue, b.kind, b.title, b.payload::text, b.priority, b.created_at, b.attempt_count, COALESCE(b.retry_count, 0),
    new_lease, now(), until,
    d.id, d.name, d.version, d.kind, d.definition::text,
    CASE WHEN b.guidance_count > 0 THEN (
      SELECT jsonb_agg(jsonb_build_object('text', g.guidance, 'author', g.author, 'source', g.source, 'givenAt', g.created_at) ORDER BY g.id)
      FROM ${flyway:defaultSchema}.ticket_guidance g WHERE g.ticket_id = b.id
    )::text END
  FROM unnest(taken) WITH ORDINALITY AS t (id, place)
  CROSS JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = t.id LIMIT 1) b
  LEFT JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
  ORDER BY t.place;
END
$$;

-- Drops leases none of whose tickets is in progress under them any more.
-- A lease that goes too early would lose its tickets, so this does not believe whoever thinks that they are all finished.
-- Returns those that are locked just now (being renewed, or a person's open transaction revokes a ticket in it): to be tried again.
-- Waiting for them would let one person's open transaction hold up the results of everybody else's tickets.
CREATE OR REPLACE FUNCTION close_leases(lease_nos bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
DECLARE
  free bigint[] := ARRAY(SELECT l.id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos) FOR UPDATE SKIP LOCKED);
BEGIN
  DELETE FROM ${flyway:defaultSchema}.leases l
  WHERE l.id = ANY (free)
    AND NOT EXISTS (
      SELECT FROM unnest(l.ids) AS u (id)
      CROSS JOIN LATERAL (SELECT b.state, b.fence FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = u.id LIMIT 1) b
      WHERE b.state = 'ready' AND b.fence < l.id);
  IF cardinality(free) < cardinality(lease_nos) THEN
    RETURN QUERY SELECT l.id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos) AND l.id <> ALL (free);
  END IF;
END
$$;

-- Stores successes: ticket and attempt row together, only under a lease that is there and newer than the ticket's fence.
-- The arrays are of one length. Tickets are locked in the order of their ids, as everybody does. Returns what was not stored, which is
-- mostly nothing: telling of each ticket that was would cost as much as its place in the index.
-- The lease is not locked: whatever ends a ticket's stay under it raises the fence, which is checked again on the locked row.
-- Traps: one access path only; `= ANY (ARRAY[i.id])` can neither hash nor merge, so it stays the primary key.
CREATE FUNCTION store_successes(ticket_ids bigint[], lease_nos bigint[], new_states text[], json_results text[], closed bigint[])
RETURNS TABLE (ticket_id bigint, lease_no bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
DECLARE
  stored bigint;
BEGIN
  IF cardinality(ticket_ids) > 0 THEN
    WITH held AS MATERIALIZED (
      SELECT l.id, l.claimed_at, l.worker_id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos)
    ), input AS MATERIALIZED (
      SELECT i.id, i.lease_no, i.state, i.result, h.claimed_at, h.worker_id
      FROM unnest(ticket_ids, lease_nos, new_states, json_results) AS i (id, lease_no, state, result)
      JOIN held h ON h.id = i.lease_no
      ORDER BY i.id
    ), finished AS (
      UPDATE ${flyway:defaultSchema}.ticket_base b
      SET fence = i.lease_no, state = i.state, result = i.result::jsonb, started_at = i.claimed_at, completed_at = now(),
          updated_at = now(), retry_after = NULL, attempt_count = b.attempt_count + 1, same_error_count = 0,
          error = NULL, error_category = NULL, error_fingerprint = NULL
      FROM input i
      WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
      RETURNING b.id, b.fence, b.attempt_count, b.result, i.claimed_at, i.worker_id
    )
    INSERT INTO ${flyway:defaultSchema}.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, result)
    SELECT id, fence, claimed_at, now(), attempt_count, 'succeeded', worker_id, result FROM finished;
    GET DIAGNOSTICS stored = ROW_COUNT;
    IF stored < cardinality(ticket_ids) THEN
      RETURN QUERY
      SELECT i.id, i.lease_no FROM unnest(ticket_ids, lease_nos) AS i (id, lease_no)
      LEFT JOIN LATERAL (
        SELECT a.outcome FROM ${flyway:defaultSchema}.ticket_attempts a WHERE a.ticket_id = i.id AND a.lease_no = i.lease_no LIMIT 1
      ) a ON true
      WHERE a.outcome IS DISTINCT FROM 'succeeded';
    END IF;
  END IF;
  IF cardinality(closed) > 0 THEN
    RETURN QUERY SELECT NULL::bigint, l.id FROM ${flyway:defaultSchema}.close_leases(closed) AS l (id);
  END IF;
END
$$;
COMMENT ON FUNCTION store_successes IS 'Stores successes (new_states: needs_review or done) and returns those that could not be stored; then closes leases, and returns those that close_leases returns without a ticket_id.';
COMMENT ON FUNCTION finish_succeeded IS 'As store_successes, but returns what was stored: for the binaries before it.';

-- As before, but a ticket without a design is not led past one: a function that is given a whole row costs as much as the INSERT.
CREATE OR REPLACE FUNCTION enqueue_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  d designs;
  design_no bigint;
  kind_name text := enqueue_ticket.kind;
  found_id bigint;
BEGIN
  IF enqueue_ticket.design IS NOT NULL OR kind_name IS NULL THEN
    IF enqueue_ticket.design IS NOT NULL THEN
      d := latest_design(enqueue_ticket.design);
    END IF;
    design_no := d.id;
    kind_name := kind_of_new_ticket(enqueue_ticket.kind, d);
  END IF;
  LOOP
    INSERT INTO ticket_base AS b (design_id, kind, payload, queue, title, priority, retry_after, unique_key, max_cost_usd)
    VALUES (design_no, kind_name, COALESCE(enqueue_ticket.payload, '{}'),
      COALESCE(enqueue_ticket.queue, 'default'), enqueue_ticket.title, COALESCE(enqueue_ticket.priority, 0),
      enqueue_ticket.run_at, enqueue_ticket.unique_key, enqueue_ticket.max_cost_usd)
    ON CONFLICT (unique_key) WHERE unique_key IS NOT NULL DO NOTHING
    RETURNING b.id INTO found_id;
    IF found_id IS NULL THEN
      -- The ticket with this key; unless it was deleted since the INSERT met it, then the next round inserts.
      SELECT b.id INTO found_id FROM ticket_base b WHERE b.unique_key = enqueue_ticket.unique_key;
    END IF;
    IF found_id IS NOT NULL THEN
      RETURN found_id;
    END IF;
  END LOOP;
END
$$;

-- The last guard of the state machine, now after the update: before it, PostgreSQL locks each row first, which writes WAL of its own.
DROP TRIGGER refuse_transition ON ticket_base;
CREATE TRIGGER refuse_transition AFTER UPDATE OF state ON ticket_base FOR EACH ROW
  WHEN (OLD.state <> NEW.state AND (
    OLD.state IN ('done', 'cancelled')
    OR OLD.state = 'on_hold' AND NEW.state NOT IN ('ready', 'cancelled')
    OR OLD.state = 'needs_review' AND NEW.state NOT IN ('done', 'ready', 'cancelled')))
  EXECUTE FUNCTION refuse_transition();

-- Compressing the ids of a batch costs more than the 3 KB that it saves for a few seconds.
ALTER TABLE leases SET (toast_tuple_target = 8160);

REVOKE EXECUTE ON FUNCTION store_successes FROM PUBLIC;

DO $$
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT EXECUTE ON FUNCTION %I.store_successes TO holdfast_worker', '${flyway:defaultSchema}');
  END IF;
END
$$;
