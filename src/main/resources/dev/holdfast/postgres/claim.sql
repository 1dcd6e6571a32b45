-- Claims up to :limit ready tickets for a worker under one new lease, and promotes deferred tickets that came due.
-- Parameters: :kinds text[], :queues text[] (empty = all), :limit, :worker, :lease_ms, :after bigint[]: empty for a full claim, else the last
-- ticket claimed of each lane; then nothing that stands before it in its lane is looked at, and nothing is promoted.
-- Always one row at least: the first three columns say what was promoted and what is due next; the rest is null without a ticket.
-- Indexes: deferred_by_time, ready_in_claim_order (one scan per lane, in claim order), primary keys.
-- Traps: `id IN (SELECT ... LIMIT)` plans as a scan of the whole table, so rows are taken by ctid from a materialised CTE, which the
-- row locks make safe; the LATERAL with LIMIT and PinnedPlan keep to the indexes whatever the planner believes of the tables' sizes.
WITH due AS MATERIALIZED (
  SELECT d.ctid AS tid FROM holdfast.deferred d
  WHERE cardinality(:after::bigint[]) = 0 AND d.run_at <= now()
  ORDER BY d.run_at, d.id
  LIMIT 1000
  FOR UPDATE SKIP LOCKED
), moved AS (
  DELETE FROM holdfast.deferred d WHERE d.ctid = ANY (ARRAY(SELECT tid FROM due))
  RETURNING d.priority, d.created_at, d.id, d.queue, d.kind
), promoted AS (
  INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
  SELECT priority, created_at, id, queue, kind FROM moved
  RETURNING id
), behind AS MATERIALIZED (
  -- One per lane, whatever has been done to those tickets since.
  SELECT DISTINCT ON (b.queue, b.kind) b.queue, b.kind, ~b.priority AS rank, b.created_at, b.id
  FROM unnest(:after::bigint[]) AS a (id)
  CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = a.id LIMIT 1) b
  ORDER BY b.queue, b.kind, rank, b.created_at, b.id
), picked AS MATERIALIZED (
  SELECT r.tid, r.id, r.priority, r.created_at
  FROM holdfast.lanes n
  JOIN holdfast.queues q ON q.name = n.queue AND q.paused_at IS NULL
  LEFT JOIN behind ON behind.queue = n.queue AND behind.kind = n.kind
  CROSS JOIN LATERAL (
    SELECT r.ctid AS tid, r.id, r.priority, r.created_at FROM holdfast.ready r
    WHERE r.queue = n.queue AND r.kind = n.kind
      AND (~r.priority, r.created_at, r.id)
        > (COALESCE(behind.rank, -2147483648), COALESCE(behind.created_at, '-infinity'), COALESCE(behind.id, -9223372036854775808))
    ORDER BY ~r.priority, r.created_at, r.id
    LIMIT :limit
    FOR UPDATE SKIP LOCKED
  ) r
  WHERE n.kind = ANY (:kinds::text[]) AND (cardinality(:queues::text[]) = 0 OR n.queue = ANY (:queues::text[]))
  ORDER BY r.priority DESC, r.created_at, r.id
  LIMIT :limit
), taken AS (
  DELETE FROM holdfast.ready r WHERE r.ctid = ANY (ARRAY(SELECT tid FROM picked))
  RETURNING r.id
), lease AS (
  INSERT INTO holdfast.leases (id, claimed_at, expires_at, worker_id, ids)
  SELECT nextval('holdfast.lease_no_seq'), now(), now() + :lease_ms * interval '1 millisecond', :worker, array_agg(taken.id)
  FROM taken
  HAVING count(*) > 0
  RETURNING id, claimed_at, expires_at
)
SELECT
  (SELECT count(*) FROM promoted) AS promoted,
  -- Before PostgreSQL 17 an infinite time cannot be subtracted from.
  (SELECT extract(epoch FROM min(d.run_at) - now()) * 1000 FROM holdfast.deferred d
   WHERE cardinality(:after::bigint[]) = 0 AND d.run_at < 'infinity') AS next_due_ms,
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
      FROM holdfast.ticket_guidance g WHERE g.ticket_id = b.id
    )::text END AS guidance
  FROM lease
  CROSS JOIN picked p
  CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = p.id LIMIT 1) b
  LEFT JOIN LATERAL (SELECT * FROM holdfast.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
) c ON true
ORDER BY c.priority DESC, c.created_at, c.id
