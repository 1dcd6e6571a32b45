-- An attempt of a ticket, finished or running: the one with the number :attempt, or the newest (NULL). Parameters: :id, :attempt.
-- Indexes: primary keys.
SELECT a.attempt, a.lease_no, a.running
FROM (
  SELECT x.attempt, x.lease_no, false AS running FROM holdfast.ticket_attempts x WHERE x.ticket_id = :id
  UNION ALL
  SELECT t.attempt_count + 1, t.lease_no, true FROM holdfast.tickets t WHERE t.id = :id AND t.state = 'in_progress'
) a
WHERE CAST(:attempt AS integer) IS NULL OR a.attempt = CAST(:attempt AS integer)
ORDER BY a.lease_no DESC
LIMIT 1
