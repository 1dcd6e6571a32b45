-- Stores decisions on failures (A26, A33): ticket, attempt, activity (A60) and the place in the queue together, in one statement.
-- The tickets are locked already, the primary key is pinned by PinnedPlan. Parameters, arrays of one length; :delays in milliseconds, :strategies and :details JSON text.
WITH input AS (
  SELECT * FROM unnest(
    :ids::bigint[], :leases::bigint[], :outcomes::text[], :holdReasons::text[], :delays::bigint[], :retryCounts::integer[],
    :countsByCategory::text[], :sameErrorCounts::integer[], :crashCounts::integer[], :errors::text[], :categories::text[],
    :fingerprints::text[], :rules::text[], :httpStatuses::integer[], :strategies::text[], :details::text[])
  AS i (id, lease_no, outcome, hold_reason, delay_ms, retry_count, counts_by_category, same_error_count, crash_count, error, category,
    fingerprint, rule, http_status, strategy, details)
), decided AS (
  UPDATE holdfast.ticket_base b
  SET fence = i.lease_no, state = CASE WHEN i.hold_reason IS NULL THEN 'ready' ELSE 'on_hold' END,
      retry_count = i.retry_count, retry_counts = i.counts_by_category::jsonb, same_error_count = i.same_error_count,
      crash_count = i.crash_count, attempt_count = b.attempt_count + 1,
      -- A hold writes no retry_after (A21).
      retry_after = CASE WHEN i.hold_reason IS NULL THEN now() + i.delay_ms * interval '1 millisecond' ELSE b.retry_after END,
      retry_strategy = CASE WHEN jsonb_typeof(b.retry_strategy) = 'object' THEN b.retry_strategy ELSE '{}' END || i.strategy::jsonb,
      error = i.error, error_category = i.category, error_fingerprint = i.fingerprint,
      hold_reason = i.hold_reason, held_at = CASE WHEN i.hold_reason IS NOT NULL THEN now() END,
      hold_actions = CASE WHEN i.hold_reason IS NOT NULL THEN '{release,release_with_guidance,cancel}'::text[] END,
      completed_at = CASE WHEN i.hold_reason IS NOT NULL THEN now() END,
      started_at = l.claimed_at, updated_at = now()
  FROM input i
  CROSS JOIN LATERAL (SELECT l.claimed_at, l.worker_id FROM holdfast.leases l WHERE l.id = i.lease_no LIMIT 1) l
  WHERE b.id = ANY (ARRAY[i.id]) AND b.state = 'ready' AND b.fence < i.lease_no
  RETURNING b.id, b.queue, b.kind, b.priority, b.created_at, b.state, b.assignee_type, b.retry_after, b.attempt_count, b.fence,
    l.claimed_at, l.worker_id, i.outcome, i.category, i.rule, i.fingerprint, i.error, i.http_status, i.details
), attempted AS (
  INSERT INTO holdfast.ticket_attempts
    (ticket_id, lease_no, started_at, finished_at, attempt, http_status, outcome, worker_id, category, rule, fingerprint, error)
  SELECT id, fence, claimed_at, now(), attempt_count, http_status, outcome, worker_id, category, rule, fingerprint, error FROM decided
), logged AS (
  INSERT INTO holdfast.ticket_activity (ticket_id, action, actor, details)
  SELECT id, 'retry_decision', 'system', details::jsonb FROM decided
), now_ready AS (
  INSERT INTO holdfast.ready (priority, created_at, id, queue, kind)
  SELECT priority, created_at, id, queue, kind FROM decided
  WHERE state = 'ready' AND assignee_type = 'agent' AND retry_after <= now()
), later AS (
  INSERT INTO holdfast.deferred (run_at, created_at, id, priority, queue, kind)
  SELECT retry_after, created_at, id, priority, queue, kind FROM decided
  WHERE state = 'ready' AND assignee_type = 'agent' AND retry_after > now()
)
SELECT id, fence AS lease_no, state, retry_after, queue, state = 'ready' AND retry_after <= now() AS at_once FROM decided
