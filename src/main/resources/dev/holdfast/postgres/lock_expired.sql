-- As lock_failed.sql, for all tickets under expired leases, which the caller has locked. Parameter: :leases.
-- Everybody else locks tickets before leases, so this may not wait for a ticket: one that is locked by somebody else keeps its
-- lease and is looked at in the next round.
SELECT b.id, i.lease_no, i.worker_id, COALESCE(b.retry_count, 0) AS retry_count, b.retry_counts::text AS retry_counts,
  b.error_fingerprint, b.same_error_count, b.crash_count, b.retry_strategy::text AS ticket_retry,
  (d.definition -> 'retry')::text AS design_retry, q.retry::text AS queue_retry
FROM (
  SELECT u.id, l.id AS lease_no, l.worker_id
  FROM unnest(:leases::bigint[]) AS e (lease_no)
  CROSS JOIN LATERAL (SELECT * FROM holdfast.leases l WHERE l.id = e.lease_no LIMIT 1) l
  CROSS JOIN LATERAL unnest(l.ids) AS u (id)
) i
CROSS JOIN LATERAL (
  SELECT * FROM holdfast.ticket_base b
  WHERE b.id = i.id AND b.state = 'ready' AND b.fence < i.lease_no
  LIMIT 1
  FOR NO KEY UPDATE SKIP LOCKED
) b
LEFT JOIN LATERAL (SELECT * FROM holdfast.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
LEFT JOIN LATERAL (SELECT * FROM holdfast.queues q WHERE q.name = b.queue LIMIT 1) q ON true
