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

-- As before, but what a ticket does not have is not paid for: a function that is given a whole row costs as much as the INSERT, and an
-- INSERT that looks for a conflict half as much again.
CREATE OR REPLACE FUNCTION enqueue_ticket(
  kind text DEFAULT NULL, payload jsonb DEFAULT '{}', queue text DEFAULT 'default', title text DEFAULT NULL,
  design text DEFAULT NULL, priority integer DEFAULT 0, run_at timestamptz DEFAULT NULL, unique_key text DEFAULT NULL,
  max_cost_usd numeric DEFAULT NULL) RETURNS bigint
LANGUAGE plpgsql SECURITY DEFINER SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
#variable_conflict use_column
DECLARE
  design_no bigint;
  kind_name text := enqueue_ticket.kind;
  found_id bigint;
BEGIN
  IF enqueue_ticket.design IS NOT NULL OR kind_name IS NULL THEN
    DECLARE
      d designs;
    BEGIN
      IF enqueue_ticket.design IS NOT NULL THEN
        d := latest_design(enqueue_ticket.design);
      END IF;
      design_no := d.id;
      kind_name := kind_of_new_ticket(enqueue_ticket.kind, d);
    END;
  END IF;
  IF enqueue_ticket.unique_key IS NULL THEN
    INSERT INTO ticket_base AS b (design_id, kind, payload, queue, title, priority, retry_after, max_cost_usd)
    VALUES (design_no, kind_name, COALESCE(enqueue_ticket.payload, '{}'),
      COALESCE(enqueue_ticket.queue, 'default'), enqueue_ticket.title, COALESCE(enqueue_ticket.priority, 0),
      enqueue_ticket.run_at, enqueue_ticket.max_cost_usd)
    RETURNING b.id INTO found_id;
    RETURN found_id;
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

-- PostgreSQL parses the text of each CHECK, and of the WHEN of each trigger for the columns that are set, anew in every statement: for
-- one ticket that took longer than its INSERT. So what CHECKs said of ticket_base is said here, once for all rows of a statement, and
-- with the names that they had.
ALTER TABLE ticket_base
  DROP CONSTRAINT known_state,
  DROP CONSTRAINT known_assignee_type,
  DROP CONSTRAINT ticket_base_retry_count_check,
  DROP CONSTRAINT max_cost_is_an_amount,
  DROP CONSTRAINT held_tickets_say_why;

CREATE FUNCTION broken_rule(t ticket_base) RETURNS text
LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN t.state NOT IN ('ready', 'needs_review', 'on_hold', 'done', 'cancelled') THEN 'known_state'
    WHEN t.assignee_type NOT IN ('agent', 'human') THEN 'known_assignee_type'
    WHEN t.retry_count < 0 THEN 'retry_count_is_a_count'
    WHEN t.max_cost_usd NOT BETWEEN 0 AND 1000000000 THEN 'max_cost_is_an_amount'
    WHEN (t.state = 'on_hold') <> (t.held_at IS NOT NULL) THEN 'held_tickets_say_why'
  END
$$;
COMMENT ON FUNCTION broken_rule IS 'The rule that a row of ticket_base breaks, by name; null if it keeps them all.';

CREATE FUNCTION require_rules(t ticket_base) RETURNS void
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
DECLARE
  broken text := broken_rule(t);
BEGIN
  IF broken IS NOT NULL THEN
    RAISE EXCEPTION 'ticket % violates "%"', t.id, broken
      USING ERRCODE = 'check_violation', CONSTRAINT = broken, TABLE = 'ticket_base', SCHEMA = '${flyway:defaultSchema}';
  END IF;
END
$$;
COMMENT ON FUNCTION require_rules IS 'Refuses a row of ticket_base that breaks a rule, as a CHECK does.';

-- Runs at every enqueue: few and simple statements, and no search_path of its own, which before PostgreSQL 17 costs as much as a statement.
-- Mostly all tickets of a statement are ready for agents in lanes that are known: then one look and one INSERT are all.
CREATE OR REPLACE FUNCTION file_inserted_tickets() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
  odd boolean;
  wanted boolean;
BEGIN
  SELECT
    bool_or(l.queue IS NULL OR a.state <> 'ready' OR a.assignee_type IS DISTINCT FROM 'agent' OR a.retry_after > now()
      OR a.held_at IS NOT NULL OR a.retry_count < 0 OR a.max_cost_usd NOT BETWEEN 0 AND 1000000000),
    EXISTS (SELECT FROM ${flyway:defaultSchema}.workers WHERE wants_wakeup)
  INTO odd, wanted
  FROM added a LEFT JOIN ${flyway:defaultSchema}.lanes l ON l.queue = a.queue AND l.kind = a.kind;
  IF odd THEN
    PERFORM ${flyway:defaultSchema}.require_rules(b) FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id IN (SELECT a.id FROM added a);
    PERFORM ${flyway:defaultSchema}.know_lane(a.queue, a.kind) FROM (SELECT DISTINCT queue, kind FROM added ORDER BY queue, kind) a;
    INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
    SELECT priority, created_at, id, queue, kind FROM added
    WHERE state = 'ready' AND assignee_type = 'agent' AND (retry_after IS NULL OR retry_after <= now());
    wanted := wanted AND FOUND;
    INSERT INTO ${flyway:defaultSchema}.deferred (run_at, created_at, id, priority, queue, kind)
    SELECT retry_after, created_at, id, priority, queue, kind FROM added
    WHERE state = 'ready' AND assignee_type = 'agent' AND retry_after > now();
    INSERT INTO ${flyway:defaultSchema}.held (id, held_at, queue, kind, category, fingerprint)
    SELECT id, held_at, queue, kind, COALESCE(error_category, ''), COALESCE(error_fingerprint, '') FROM added WHERE held_at IS NOT NULL;
  ELSE
    INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
    SELECT priority, created_at, id, queue, kind FROM added;
  END IF;
  IF wanted THEN
    PERFORM ${flyway:defaultSchema}.wake_workers(ARRAY(
      SELECT DISTINCT queue FROM added
      WHERE state = 'ready' AND assignee_type = 'agent' AND (retry_after IS NULL OR retry_after <= now())));
  END IF;
  RETURN NULL;
END
$$;
DROP TRIGGER file_held_at_insert ON ticket_base;

-- A statement that finishes a ticket sets its error too, but neither this nor where it is.
DROP TRIGGER file_held_at_update ON ticket_base;
CREATE TRIGGER file_held_at_update AFTER UPDATE OF held_at, queue, kind ON ticket_base FOR EACH ROW
  WHEN (OLD.held_at IS DISTINCT FROM NEW.held_at
    OR (NEW.held_at IS NOT NULL AND (OLD.queue, OLD.kind, OLD.error_category, OLD.error_fingerprint)
      IS DISTINCT FROM (NEW.queue, NEW.kind, NEW.error_category, NEW.error_fingerprint)))
  EXECUTE FUNCTION file_held_ticket();

-- The last guard of the state machine, now after the update: before it, PostgreSQL locks each row first, which writes WAL of its own.
-- What a worker does to most tickets is let through by a short condition.
CREATE OR REPLACE FUNCTION refuse_transition() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  IF OLD.state <> NEW.state AND (
    OLD.state IN ('done', 'cancelled')
    OR (OLD.state = 'on_hold' AND NEW.state NOT IN ('ready', 'cancelled'))
    OR (OLD.state = 'needs_review' AND NEW.state NOT IN ('done', 'ready', 'cancelled')))
  THEN
    RAISE EXCEPTION 'ticket % is %; it cannot become %', OLD.id, OLD.state, NEW.state USING ERRCODE = 'HF409';
  END IF;
  PERFORM require_rules(NEW);
  RETURN NULL;
END
$$;
DROP TRIGGER refuse_transition ON ticket_base;
CREATE TRIGGER refuse_transition AFTER UPDATE OF state, held_at ON ticket_base FOR EACH ROW
  WHEN (OLD.state <> 'ready' OR NEW.held_at IS NOT NULL OR NEW.state NOT IN ('ready', 'needs_review', 'done'))
  EXECUTE FUNCTION refuse_transition();
CREATE FUNCTION refuse_broken_rule() RETURNS trigger
LANGUAGE plpgsql SET search_path = ${flyway:defaultSchema}, pg_temp AS $$
BEGIN
  PERFORM require_rules(NEW);
  RETURN NULL;
END
$$;
COMMENT ON FUNCTION refuse_broken_rule IS 'Refuses an update that breaks a rule which refuse_transition does not look at.';
CREATE TRIGGER refuse_broken_rule AFTER UPDATE OF assignee_type, retry_count, max_cost_usd ON ticket_base FOR EACH ROW
  WHEN (NEW.assignee_type NOT IN ('agent', 'human') OR NEW.retry_count < 0 OR NEW.max_cost_usd NOT BETWEEN 0 AND 1000000000)
  EXECUTE FUNCTION refuse_broken_rule();

-- Compressing the ids of a batch costs more than the 3 KB that it saves for a few seconds.
ALTER TABLE leases SET (toast_tuple_target = 8160);

REVOKE EXECUTE ON FUNCTION store_successes, broken_rule, require_rules, refuse_broken_rule FROM PUBLIC;

DO $$
DECLARE
  s text := quote_ident('${flyway:defaultSchema}');
BEGIN
  IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'holdfast_worker') THEN
    EXECUTE format('GRANT INSERT ON %s.held TO holdfast_worker', s);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %1$s.store_successes, %1$s.broken_rule, %1$s.require_rules, %1$s.refuse_broken_rule TO holdfast_worker', s);
  END IF;
END
$$;
