-- A stopping worker gives tickets back: ready again at once, no retry used up. Or a ticket comes back
-- whose worker died or let it go through no fault of the ticket. Parameters: :ids (sorted), :leases, :outcomes (of the attempts).
-- The lease is not locked and the primary key is pinned: see the function store_successes, and PinnedPlan.
WITH input AS (
  SELECT * FROM unnest(:ids::bigint[], :leases::bigint[], :outcomes::text[]) AS i (id, lease_no, outcome)
), returned AS (
  UPDATE holdfast.ticket_base b
  SET fence = i.lease_no, attempt_count = b.attempt_count + 1, started_at = l.claimed_at, updated_at = now()
  FROM input i
  CROSS JOIN LATERAL (SELECT l.claimed_at, l.worker_id FROM holdfast.leases l WHERE l.id = i.lease_no LIMIT 1) l
  WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
  RETURNING b.id, b.queue, b.kind, b.priority, b.created_at, b.assignee_type, b.attempt_count, b.fence, l.claimed_at, l.worker_id, i.outcome
), attempted AS (
  INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
  SELECT id, fence, claimed_at, now(), attempt_count, outcome, worker_id FROM returned
), now_ready AS (
  INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
  SELECT priority, created_at, id, queue, kind FROM returned WHERE assignee_type = 'agent'
), freed AS (
  SELECT holdfast.free_slots(array_agg(id), array_agg(fence)) FROM returned HAVING count(*) > 0
)
SELECT id, fence AS lease_no, queue FROM returned LEFT JOIN freed ON true
