-- Locks leases that expired, the longest first. Parameters: :limit, :only (one lease; null for any). The table is small: one row per claimed batch.
SELECT l.id FROM holdfast.leases l
WHERE l.expires_at < now() AND l.id = COALESCE(:only::bigint, l.id)
ORDER BY l.expires_at
LIMIT :limit
FOR UPDATE SKIP LOCKED
