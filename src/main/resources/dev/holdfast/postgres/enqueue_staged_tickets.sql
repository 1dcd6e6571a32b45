-- For database users who may not write to ticket_base: row by row through the function that they may call. The ids of all
-- tickets, those that were there already included.
SELECT array_agg(DISTINCT holdfast.enqueue_ticket(
  kind => s.kind, payload => s.payload, queue => s.queue, title => s.title,
  design => (SELECT d.name FROM holdfast.designs d WHERE d.id = s.design_id),
  priority => s.priority, run_at => s.retry_after, unique_key => s.unique_key, max_cost_usd => s.max_cost_usd,
  expires_at => s.expires_at, concurrency_key => s.concurrency_key, fairness_key => s.fairness_key))
FROM (SELECT * FROM pg_temp.ticket_stage ORDER BY position) s
