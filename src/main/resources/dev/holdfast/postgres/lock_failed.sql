-- Locks the tickets whose failures are to be decided and reads what the decision needs.
-- Parameters: :ids (sorted, so that everybody locks in one order), :leases (of the same length).
-- A ticket that is missing from the answer is unknown, finished, or under a newer lease: its failure is stale.
-- The lease is not locked: see the function store_successes. LATERAL with LIMIT keeps to the primary keys (PinnedPlan).
SELECT b.id, l.id AS lease_no, COALESCE(b.retry_count, 0) AS retry_count, b.retry_counts::text AS retry_counts,
  b.error_fingerprint, b.same_error_count, b.crash_count, b.retry_strategy::text AS ticket_retry,
  (d.definition -> 'retry')::text AS design_retry, q.retry::text AS queue_retry
FROM unnest(:ids::bigint[], :leases::bigint[]) AS i (id, lease_no)
CROSS JOIN LATERAL (SELECT * FROM holdfast.leases l WHERE l.id = i.lease_no LIMIT 1) l
CROSS JOIN LATERAL (
  SELECT * FROM holdfast.ticket_base b
  WHERE b.id = i.id AND b.state = 'ready' AND b.fence < i.lease_no
  LIMIT 1
  FOR NO KEY UPDATE
) b
LEFT JOIN LATERAL (SELECT * FROM holdfast.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
LEFT JOIN LATERAL (SELECT * FROM holdfast.queues q WHERE q.name = b.queue LIMIT 1) q ON true
