-- Stores successes: ticket and attempt row together, only under a lease that is there and newer than the ticket's fence.
-- Parameters, arrays of one length: :ids (sorted, so that everybody locks in one order), :leases, :states, :results (JSON text or
-- null). Returns the tickets that were changed.
-- The lease is not locked: whatever ends a ticket's stay under it raises the fence, which is checked again on the locked row.
-- Traps: one access path only; `= ANY (ARRAY[i.id])` can neither hash nor merge, so it stays the primary key (PinnedPlan).
WITH input AS (
  SELECT * FROM unnest(:ids::bigint[], :leases::bigint[], :states::text[], :results::text[]) AS i (id, lease_no, state, result)
), finished AS (
  UPDATE holdfast.ticket_base b
  SET fence = i.lease_no, state = i.state, result = i.result::jsonb, started_at = l.claimed_at, completed_at = now(),
      updated_at = now(), retry_after = NULL, attempt_count = b.attempt_count + 1, same_error_count = 0,
      error = NULL, error_category = NULL, error_fingerprint = NULL
  FROM input i
  CROSS JOIN LATERAL (SELECT l.claimed_at, l.worker_id FROM holdfast.leases l WHERE l.id = i.lease_no LIMIT 1) l
  WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
  RETURNING b.id, b.fence, b.attempt_count, b.result, l.claimed_at, l.worker_id
)
INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, result)
SELECT id, fence, claimed_at, now(), attempt_count, 'succeeded', worker_id, result FROM finished
RETURNING ticket_id, lease_no
