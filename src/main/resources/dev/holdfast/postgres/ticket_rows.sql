-- Whole tickets, with words in the place of what is too long to be read. Followed by a condition on t.
SELECT t.id, t.queue, t.kind, t.design_id, t.title, holdfast.readable(t.payload) AS payload, t.state, t.assignee_type, t.priority,
  t.retry_count, t.rejection_count, t.retry_after, t.retry_strategy, t.error, t.error_category, t.error_fingerprint, t.hold_reason,
  t.worker_id, t.lease_no, t.lease_expires_at, t.unique_key, holdfast.readable(t.result) AS result, t.created_at, t.updated_at,
  t.started_at, t.completed_at, t.attempt_count, t.crash_count, t.same_error_count, t.held_at, t.allowed_actions, t.max_cost_usd, t.error_title, t.design, t.design_version,
  t.concurrency_key, t.fairness_key, t.parent_id, t.batch_id, t.expires_at
FROM holdfast.tickets t
