-- Tickets whose models may not be called now go back to ready until later, no retry used up. Parameters, arrays of one length:
-- :ids (sorted), :leases, :delays in milliseconds, :scopes (separated by the character 31), :words.
-- The lease is not locked and the primary key is pinned: see the function store_successes, and PinnedPlan.
WITH input AS (
  SELECT * FROM unnest(:ids::bigint[], :leases::bigint[], :delays::bigint[], :scopes::text[], :words::text[])
  AS i (id, lease_no, delay_ms, scopes, words)
), returned AS (
  UPDATE holdfast.ticket_base b
  SET fence = i.lease_no, attempt_count = b.attempt_count + 1, started_at = l.claimed_at, updated_at = now(),
      retry_after = now() + i.delay_ms * interval '1 millisecond'
  FROM input i
  CROSS JOIN LATERAL (SELECT l.claimed_at, l.worker_id FROM holdfast.leases l WHERE l.id = i.lease_no LIMIT 1) l
  WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
  RETURNING b.id, b.queue, b.kind, b.priority, b.created_at, b.assignee_type, b.attempt_count, b.fence, b.retry_after, l.claimed_at,
    l.worker_id, i.scopes, i.words
), attempted AS (
  INSERT INTO holdfast.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id, error)
  SELECT id, fence, claimed_at, now(), attempt_count, 'deferred', worker_id, words FROM returned
), noted AS (
  INSERT INTO holdfast.ticket_waits AS w (ticket_id, lease_no, kind, scopes, words)
  SELECT id, fence, 'provider', string_to_array(scopes, chr(31)), words FROM returned
  ON CONFLICT (ticket_id) DO UPDATE
  SET since = CASE WHEN w.kind IN ('provider', 'trial') THEN w.since ELSE EXCLUDED.since END,
      lease_no = EXCLUDED.lease_no, kind = 'provider', scopes = EXCLUDED.scopes, words = EXCLUDED.words, needed_usd = NULL
), now_ready AS (
  INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
  SELECT priority, created_at, id, queue, kind FROM returned WHERE assignee_type = 'agent' AND retry_after <= now()
), later AS (
  INSERT INTO holdfast.deferred (run_at, created_at, id, priority, queue, kind)
  SELECT retry_after, created_at, id, priority, queue, kind FROM returned WHERE assignee_type = 'agent' AND retry_after > now()
), freed AS (
  SELECT holdfast.free_slots(array_agg(id), array_agg(fence)) FROM returned HAVING count(*) > 0
)
SELECT id, fence AS lease_no, queue, retry_after FROM returned LEFT JOIN freed ON true
