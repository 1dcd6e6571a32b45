-- As lock_failed.sql, for all tickets under expired leases, which the caller has locked. Parameters: :leases, :only (one ticket; null for all).
-- Everybody else locks tickets before leases, so this may not wait for a ticket: one that is locked by somebody else keeps its
-- lease and is looked at in the next round.
-- blamed: the worker died with it. Not where the worker was heard of since the lease was last renewed: it lives and has let the lease go,
-- or never learned of it. Nor where it had a suspect: then that one is to blame, and it alone.
SELECT b.id, i.lease_no, i.worker_id, i.suspect, NOT i.lives AS died, NOT i.lives AND (i.suspect OR NOT i.had_suspect) AS blamed, COALESCE(b.retry_count, 0) AS retry_count, b.retry_counts::text AS retry_counts,
  b.error_fingerprint, b.same_error_count, b.crash_count, b.retry_strategy::text AS ticket_retry,
  (d.definition -> 'retry')::text AS design_retry, q.retry::text AS queue_retry
FROM (
  SELECT u.id, l.id AS lease_no, l.worker_id, l.suspect,
    COALESCE(w.heartbeat_at > COALESCE(l.renewed_at, l.claimed_at) + COALESCE(l.for_ms, 60000) * interval '0.125 milliseconds', false) AS lives,
    COALESCE(w.blamed, false) OR EXISTS (
      SELECT FROM holdfast.leases o
      CROSS JOIN LATERAL unnest(o.ids) AS s (id)
      CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base t WHERE t.id = s.id LIMIT 1) t
      WHERE o.worker_id = l.worker_id AND o.suspect AND t.state = 'ready' AND t.fence < o.id) AS had_suspect
  FROM unnest(:leases::bigint[]) AS e (lease_no)
  CROSS JOIN LATERAL (SELECT * FROM holdfast.leases l WHERE l.id = e.lease_no LIMIT 1) l
  CROSS JOIN LATERAL unnest(l.ids) AS u (id)
  LEFT JOIN LATERAL (SELECT * FROM holdfast.workers w WHERE w.id = l.worker_id LIMIT 1) w ON true
  WHERE u.id = COALESCE(:only::bigint, u.id)
) i
CROSS JOIN LATERAL (
  SELECT * FROM holdfast.ticket_base b
  WHERE b.id = i.id AND b.state = 'ready' AND b.fence < i.lease_no
  LIMIT 1
  FOR NO KEY UPDATE SKIP LOCKED
) b
LEFT JOIN LATERAL (SELECT * FROM holdfast.designs d WHERE d.id = b.design_id LIMIT 1) d ON true
LEFT JOIN LATERAL (SELECT * FROM holdfast.queues q WHERE q.name = b.queue LIMIT 1) q ON true
