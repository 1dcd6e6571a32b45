-- Tickets without their large columns, which are not even read, and with long texts cut. Followed by a condition on t.
SELECT t.id, t.queue, t.kind, t.design_id, holdfast.shorten(t.title, 1000) AS title, t.state, t.assignee_type, t.priority, t.retry_count,
  t.rejection_count, t.retry_after, holdfast.shorten(t.error, 500) AS error, t.error_category, t.error_fingerprint,
  holdfast.shorten(t.hold_reason, 1000) AS hold_reason, t.worker_id, t.lease_no, t.lease_expires_at, t.unique_key, t.created_at,
  t.updated_at, t.started_at, t.completed_at, t.attempt_count, t.crash_count, t.same_error_count, t.held_at, t.allowed_actions,
  t.max_cost_usd, t.error_title, t.design, t.design_version, t.concurrency_key, t.fairness_key, a.assignee
FROM holdfast.tickets t LEFT JOIN holdfast.ticket_assignments a ON a.ticket_id = t.id
