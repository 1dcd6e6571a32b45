-- Parks tickets that wait for a person's word before they go on: no failure, and no retry is used up.
-- Parameters: :ids (sorted), :leases, :reasons, :actions (comma-separated), :details (JSON texts), of one length.
-- The lease is not locked and the primary key is pinned: see the function store_successes, and PinnedPlan.
WITH input AS (
  SELECT * FROM unnest(:ids::bigint[], :leases::bigint[], :reasons::text[], :actions::text[], :details::text[])
    AS i (id, lease_no, reason, actions, details)
), parked AS (
  UPDATE holdfast.ticket_base b
  SET fence = i.lease_no, state = 'on_hold', held_at = now(), hold_reason = i.reason, hold_actions = string_to_array(i.actions, ','),
      attempt_count = b.attempt_count + 1, started_at = l.claimed_at, updated_at = now(), retry_after = NULL,
      error = NULL, error_title = NULL, error_category = NULL, error_fingerprint = NULL
  FROM input i
  CROSS JOIN LATERAL (SELECT l.claimed_at, l.worker_id FROM holdfast.leases l WHERE l.id = i.lease_no LIMIT 1) l
  WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
  RETURNING b.id, b.attempt_count, b.fence, l.claimed_at, l.worker_id, i.reason, i.details
), attempted AS (
  INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
  SELECT id, fence, claimed_at, now(), attempt_count, 'parked', worker_id FROM parked
), logged AS (
  INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, details)
  SELECT id, 'held', 'system', jsonb_build_object('reason', reason) || details::jsonb FROM parked
), freed AS (
  SELECT holdfast.free_slots(array_agg(id), array_agg(fence)) FROM parked HAVING count(*) > 0
)
SELECT id, fence AS lease_no FROM parked LEFT JOIN freed ON true
