-- The tickets a worker would claim next, not claimed (A38-A41). Parameter: :limit.
SELECT
  0 AS promoted, NULL::numeric AS next_due_ms,
  t.id, t.queue, t.kind, t.title, t.payload::text AS payload, t.priority, t.created_at, t.attempt_count,
  COALESCE(t.retry_count, 0) AS retry_count, t.lease_no, t.updated_at AS claimed_at, t.updated_at AS expires_at,
  d.id AS design_id, d.name AS design_name, d.version AS design_version, d.kind AS design_kind, d.definition::text AS definition,
  NULL AS guidance
FROM (
  SELECT r.id FROM holdfast.ready r
  UNION ALL
  SELECT d.id FROM holdfast.deferred d WHERE d.run_at <= now()
) claimable
JOIN holdfast.tickets t ON t.id = claimable.id
LEFT JOIN holdfast.designs d ON d.id = t.design_id
JOIN holdfast.queues q ON q.name = t.queue AND q.paused_at IS NULL
ORDER BY t.priority DESC, t.created_at, t.id
LIMIT :limit
