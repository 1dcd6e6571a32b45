-- What a worker calls for every ticket: claim, heartbeat, success, the end of a lease. They are functions so that a call is one round trip
-- and one transaction by itself, with its settings: plans that keep to the indexes whatever the planner believes of the tables' sizes (a plan
-- made while the tables were empty would scan them whole until some ANALYZE), and no long wait for a lock that a person holds.
-- They name the schema instead of a search_path, which before PostgreSQL 17 costs as much as the claim itself.
-- Earlier binaries: none.

-- Claims up to at_most ready tickets for a worker under one new lease, and promotes deferred tickets that came due.
-- Always one row at least: the first two columns say what was promoted and what is due next; the rest is null without a ticket.
-- Indexes: deferred_by_time, ready_in_claim_order (one scan per lane, in claim order), primary keys.
-- Traps: `id IN (SELECT ... LIMIT)` plans as a scan of the whole table, so rows are taken by ctid from a materialised CTE, which the
-- row locks make safe; the LATERAL with LIMIT keeps to the indexes.
CREATE FUNCTION claim_tickets(of_kinds text[], from_queues text[], at_most integer, for_worker text, for_ms bigint, behind_ids bigint[])
RETURNS TABLE (
  promoted bigint, next_due_ms double precision, id bigint, queue text, kind text, title text, payload text, priority integer,
  created_at timestamptz, attempt_count integer, retry_count integer, lease_no bigint, claimed_at timestamptz, expires_at timestamptz,
  design_id bigint, design_name text, design_version integer, design_kind text, definition text, guidance text)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH due AS MATERIALIZED (
    SELECT d.ctid AS tid FROM ${flyway:defaultSchema}.deferred d
    WHERE cardinality(behind_ids) = 0 AND d.run_at <= now()
    ORDER BY d.run_at, d.id
    LIMIT 1000
    FOR UPDATE SKIP LOCKED
  ), moved AS (
    DELETE FROM ${flyway:defaultSchema}.deferred d WHERE d.ctid = ANY (ARRAY(SELECT tid FROM due))
    RETURNING d.priority, d.created_at, d.id, d.queue, d.kind
  ), promoted AS (
    INSERT INTO ${flyway:defaultSchema}.ready (priority, created_at, id, queue, kind)
    SELECT priority, created_at, id, queue, kind FROM moved
    RETURNING id
  ), behind AS MATERIALIZED (
    -- One per lane, whatever has been done to those tickets since.
    SELECT DISTINCT ON (b.queue, b.kind) b.queue, b.kind, ~b.priority AS rank, b.created_at, b.id
    FROM unnest(behind_ids) AS a (id)
    CROSS JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = a.id LIMIT 1) b
    ORDER BY b.queue, b.kind, rank, b.created_at, b.id
  ), picked AS MATERIALIZED (
    SELECT r.tid, r.id, r.priority, r.created_at
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
  ), taken AS (
    DELETE FROM ${flyway:defaultSchema}.ready r WHERE r.ctid = ANY (ARRAY(SELECT tid FROM picked))
    RETURNING r.id
  ), lease AS (
    INSERT INTO ${flyway:defaultSchema}.leases (id, claimed_at, expires_at, worker_id, ids)
    SELECT nextval('${flyway:defaultSchema}.lease_no_seq'), now(), now() + for_ms * interval '1 millisecond', for_worker, array_agg(taken.id)
    FROM taken
    HAVING count(*) > 0
    RETURNING id, claimed_at, expires_at
  )
  SELECT
    (SELECT count(*) FROM promoted) AS promoted,
    -- Before PostgreSQL 17 an infinite time cannot be subtracted from.
    (SELECT extract(epoch FROM min(d.run_at) - now())::double precision * 1000 FROM ${flyway:defaultSchema}.deferred d
     WHERE cardinality(behind_ids) = 0 AND d.run_at < 'infinity') AS next_due_ms,
    c.*
  FROM (SELECT 1) one_row
  LEFT JOIN (
    SELECT
      b.id, b.queue, b.kind, b.title, b.payload::text AS payload, b.priority, b.created_at, b.attempt_count,
      COALESCE(b.retry_count, 0) AS retry_count,
      lease.id AS lease_no, lease.claimed_at, lease.expires_at,
      d.id AS design_id, d.name AS design_name, d.version AS design_version, d.kind AS design_kind, d.definition::text AS definition,
      CASE WHEN b.guidance_count > 0 THEN (
        SELECT jsonb_agg(jsonb_build_object('text', g.guidance, 'author', g.author, 'source', g.source, 'givenAt', g.created_at) ORDER BY g.id)
        FROM ${flyway:defaultSchema}.ticket_guidance g WHERE g.ticket_id = b.id
      )::text END AS guidance
    FROM lease
    CROSS JOIN picked p
    CROSS JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = p.id LIMIT 1) b
    LEFT JOIN LATERAL (SELECT * FROM ${flyway:defaultSchema}.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
  ) c ON true
  ORDER BY c.priority DESC, c.created_at, c.id;
END
$$;
COMMENT ON FUNCTION claim_tickets IS 'Claims up to at_most tickets of these kinds (from_queues empty: of all queues) under one new lease of for_ms milliseconds. behind_ids is empty for a full claim, else the last ticket claimed of each lane: then nothing that stands before it in its lane is looked at, and nothing is promoted.';

-- Renews a worker's leases (a HOT update each) and tells which tickets in them a person revoked.
-- A lease that somebody has locked (a person's open transaction that cancels a ticket in it) must not hold up the others: it is
-- answered as not renewed, while one that is gone is not answered at all.
CREATE FUNCTION renew_leases(of_worker text, lease_nos bigint[], for_ms bigint)
RETURNS TABLE (id bigint, renewed boolean, revoked bigint[])
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH alive AS (
    UPDATE ${flyway:defaultSchema}.workers w SET heartbeat_at = now() WHERE w.id = of_worker
  ), unlocked AS MATERIALIZED (
    SELECT l.id FROM ${flyway:defaultSchema}.leases l
    WHERE l.id = ANY (lease_nos) AND l.worker_id = of_worker
    ORDER BY l.id
    FOR NO KEY UPDATE SKIP LOCKED
  ), renewed AS (
    UPDATE ${flyway:defaultSchema}.leases l
    SET expires_at = now() + for_ms * interval '1 millisecond'
    FROM unlocked u
    WHERE l.id = ANY (ARRAY[u.id])
    RETURNING l.id, l.revoked
  )
  SELECT l.id, r.id IS NOT NULL AS renewed, COALESCE(r.revoked, l.revoked) AS revoked
  FROM ${flyway:defaultSchema}.leases l LEFT JOIN renewed r ON r.id = l.id
  WHERE l.id = ANY (lease_nos) AND l.worker_id = of_worker;
END
$$;
COMMENT ON FUNCTION renew_leases IS 'A worker''s heartbeat: its leases last for_ms milliseconds from now.';

-- Drops leases none of whose tickets is in progress under them any more.
-- A lease that goes too early would lose its tickets, so this does not believe whoever thinks that they are all finished.
-- Returns those that are locked just now (being renewed, or a person's open transaction revokes a ticket in it): to be tried again.
-- Waiting for them would let one person's open transaction hold up the results of everybody else's tickets.
CREATE FUNCTION close_leases(lease_nos bigint[]) RETURNS SETOF bigint
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
BEGIN
  RETURN QUERY
  WITH free AS MATERIALIZED (
    SELECT l.id FROM ${flyway:defaultSchema}.leases l WHERE l.id = ANY (lease_nos) FOR UPDATE SKIP LOCKED
  ), dropped AS (
    DELETE FROM ${flyway:defaultSchema}.leases l
    WHERE l.id = ANY (ARRAY(SELECT free.id FROM free))
      AND NOT EXISTS (
        SELECT FROM unnest(l.ids) AS u (id)
        CROSS JOIN LATERAL (SELECT b.state, b.fence FROM ${flyway:defaultSchema}.ticket_base b WHERE b.id = u.id LIMIT 1) b
        WHERE b.state = 'ready' AND b.fence < l.id)
  )
  SELECT l.id FROM ${flyway:defaultSchema}.leases l
  WHERE l.id = ANY (lease_nos) AND NOT EXISTS (SELECT FROM free WHERE free.id = l.id);
END
$$;
COMMENT ON FUNCTION close_leases IS 'Drops those of the leases that are finished; returns those that are locked and have to be tried again.';

-- Stores successes: ticket and attempt row together, only under a lease that is there and newer than the ticket's fence.
-- The arrays are of one length; ticket_ids is sorted, so that everybody locks in one order.
-- The lease is not locked: whatever ends a ticket's stay under it raises the fence, which is checked again on the locked row.
-- Traps: one access path only; `= ANY (ARRAY[i.id])` can neither hash nor merge, so it stays the primary key.
CREATE FUNCTION finish_succeeded(ticket_ids bigint[], lease_nos bigint[], new_states text[], json_results text[], closed bigint[])
RETURNS TABLE (ticket_id bigint, lease_no bigint)
LANGUAGE plpgsql SET plan_cache_mode = force_generic_plan SET enable_seqscan = off SET enable_bitmapscan = off SET lock_timeout = '250ms'
AS $$
#variable_conflict use_column
BEGIN
  RETURN QUERY
  WITH input AS (
    SELECT * FROM unnest(ticket_ids, lease_nos, new_states, json_results) AS i (id, lease_no, state, result)
  ), finished AS (
    UPDATE ${flyway:defaultSchema}.ticket_base b
    SET fence = i.lease_no, state = i.state, result = i.result::jsonb, started_at = l.claimed_at, completed_at = now(),
        updated_at = now(), retry_after = NULL, attempt_count = b.attempt_count + 1, same_error_count = 0,
        error = NULL, error_category = NULL, error_fingerprint = NULL
    FROM input i
    CROSS JOIN LATERAL (SELECT l.claimed_at, l.worker_id FROM ${flyway:defaultSchema}.leases l WHERE l.id = i.lease_no LIMIT 1) l
    WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
    RETURNING b.id, b.fence, b.attempt_count, b.result, l.claimed_at, l.worker_id
  )
  INSERT INTO ${flyway:defaultSchema}.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, result)
  SELECT id, fence, claimed_at, now(), attempt_count, 'succeeded', worker_id, result FROM finished
  RETURNING ticket_id, lease_no;
  IF cardinality(closed) > 0 THEN
    RETURN QUERY SELECT NULL::bigint, still_locked.id FROM ${flyway:defaultSchema}.close_leases(closed) AS still_locked (id);
  END IF;
END
$$;
COMMENT ON FUNCTION finish_succeeded IS 'Stores successes (new_states: needs_review or done) and returns the tickets that were changed; then closes leases, and returns those that close_leases returns without a ticket_id.';
