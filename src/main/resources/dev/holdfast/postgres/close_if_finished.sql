-- Drops leases none of whose tickets is in progress under them any more. Parameter: :leases.
-- A lease that goes too early would lose its tickets, so this does not believe whoever thinks that they are all finished.
-- Returns those that are locked just now (being renewed, or a person's open transaction revokes a ticket in it): to be tried again.
-- Waiting for them would let one person's open transaction hold up the results of everybody else's tickets.
WITH free AS MATERIALIZED (
  SELECT l.id FROM holdfast.leases l WHERE l.id = ANY (:leases::bigint[]) FOR UPDATE SKIP LOCKED
), dropped AS (
  DELETE FROM holdfast.leases l
  WHERE l.id = ANY (ARRAY(SELECT free.id FROM free))
    AND NOT EXISTS (
      SELECT FROM unnest(l.ids) AS u (id)
      CROSS JOIN LATERAL (SELECT b.state, b.fence FROM holdfast.ticket_base b WHERE b.id = u.id LIMIT 1) b
      WHERE b.state = 'ready' AND b.fence < l.id)
)
SELECT l.id FROM holdfast.leases l
WHERE l.id = ANY (:leases::bigint[]) AND NOT EXISTS (SELECT FROM free WHERE free.id = l.id)
