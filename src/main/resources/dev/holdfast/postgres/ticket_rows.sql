-- Whole tickets, with words in the place of what is too long to be read. Followed by a condition on t.
-- A payload was measured when it came; to measure one of five million numbers again takes longer than a viewer may.
SELECT t.id, t.queue, t.kind, t.design_id, holdfast.shorten(t.title, 10000) AS title,
  CASE WHEN (SELECT b.payload_bytes FROM holdfast.ticket_base b WHERE b.id = t.id) <= 33554432 AND NOT holdfast.is_deep(t.payload)
    THEN t.payload ELSE holdfast.readable(t.payload) END AS payload, t.state,
  t.assignee_type, t.priority, t.retry_count, t.rejection_count, t.retry_after, holdfast.readable(t.retry_strategy) AS retry_strategy,
  holdfast.shorten(t.error, 1000000) AS error, t.error_category, t.error_fingerprint, holdfast.shorten(t.hold_reason, 100000) AS hold_reason,
  t.worker_id, t.lease_no, t.lease_expires_at, t.unique_key, holdfast.readable(t.result) AS result, t.created_at, t.updated_at,
  t.started_at, t.completed_at, t.attempt_count, t.crash_count, t.same_error_count, t.held_at, t.allowed_actions, t.max_cost_usd,
  t.error_title, t.design, t.design_version, t.concurrency_key, t.fairness_key, t.parent_id, t.batch_id, t.expires_at
FROM holdfast.tickets t
