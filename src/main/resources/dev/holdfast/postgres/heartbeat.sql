-- Renews a worker's leases (a HOT update each) and tells which tickets in them a person revoked.
-- Parameters: :leases bigint[], :worker, :lease_ms.
-- A lease that somebody has locked (a person's open transaction that cancels a ticket in it) must not hold up the others: it is
-- answered as not renewed, while one that is gone is not answered at all.
WITH alive AS (
  UPDATE holdfast.workers w SET heartbeat_at = now() WHERE w.id = :worker
), unlocked AS MATERIALIZED (
  SELECT l.id FROM holdfast.leases l
  WHERE l.id = ANY (:leases::bigint[]) AND l.worker_id = :worker
  ORDER BY l.id
  FOR NO KEY UPDATE SKIP LOCKED
), renewed AS (
  UPDATE holdfast.leases l
  SET expires_at = now() + :lease_ms * interval '1 millisecond'
  FROM unlocked u
  WHERE l.id = ANY (ARRAY[u.id])
  RETURNING l.id, l.revoked
)
SELECT l.id, r.id IS NOT NULL AS renewed, COALESCE(r.revoked, l.revoked) AS revoked
FROM holdfast.leases l LEFT JOIN renewed r ON r.id = l.id
WHERE l.id = ANY (:leases::bigint[]) AND l.worker_id = :worker
