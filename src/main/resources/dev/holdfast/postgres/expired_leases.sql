-- Locks leases that expired, the longest first. Parameter: :limit. The table is small: one row per claimed batch.
SELECT l.id FROM holdfast.leases l
WHERE l.expires_at < now()
ORDER BY l.expires_at
LIMIT :limit
FOR UPDATE SKIP LOCKED
