-- :after, an id of ticket_activity; :limit. The holds that were decided behind it, by people and by the system.
-- Walks the primary key. Trap: a ? operator would be a parameter.
SELECT y.id, y.ticket_id, y.created_at AS at, y.actor, b.queue, b.kind, b.title,
  COALESCE(y.details->>'holdReason', y.details->>'reason', b.hold_reason, 'held') AS reason,
  b.error_category, b.error_fingerprint, holdfast.shorten(b.error, 500) AS error
FROM holdfast.ticket_activity y
CROSS JOIN LATERAL (SELECT * FROM holdfast.ticket_base b WHERE b.id = y.ticket_id LIMIT 1) b
WHERE y.id > :after
  AND (y.action = 'held' OR (y.actor = 'system' AND y.details->>'holdReason' IS NOT NULL))
ORDER BY y.id
LIMIT :limit
