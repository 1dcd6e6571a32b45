-- ?1 the lease, ?2 the tickets. Ends a whole batch: lease dropped, tickets finished under its fence, one attempt row each.
WITH ended AS (
  DELETE FROM holdfast_bench.probe_lease l WHERE l.id = ? RETURNING l.id, l.claimed_at, l.worker_id
), finished AS (
  UPDATE holdfast_bench.probe_ticket t
  SET fence = e.id, state = 1, started_at = e.claimed_at, completed_at = now(), updated_at = now(),
      attempt_count = t.attempt_count + 1
  FROM unnest(?::bigint[]) AS i (id), ended e
  WHERE t.id = i.id AND t.fence < e.id
  RETURNING t.id, t.fence, t.attempt_count, e.claimed_at, e.worker_id
)
INSERT INTO holdfast_bench.probe_attempt (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
SELECT id, fence, claimed_at, now(), attempt_count, 'succeeded', worker_id FROM finished
