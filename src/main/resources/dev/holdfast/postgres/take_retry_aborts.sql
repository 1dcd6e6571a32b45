-- Takes the orders away that concern these tickets, void ones included, and returns the tickets of those that hold. Parameter:
-- :tickets.
-- Indexes: primary keys.
WITH taken AS (
  DELETE FROM holdfast.retry_aborts r WHERE r.ticket_id = ANY (CAST(:tickets AS bigint[]))
  RETURNING r.ticket_id, r.lease_no, r.requested_at
)
SELECT t.ticket_id FROM taken t
WHERE t.requested_at > clock_timestamp() - interval '15 seconds'
  AND EXISTS (SELECT FROM holdfast.leases l WHERE l.id = t.lease_no AND t.ticket_id = ANY (l.ids))
