-- ?1 how many. Old finished tickets with their attempts, as a busy month leaves them behind.
WITH t AS (
  INSERT INTO holdfast_bench.ticket_base
    (filed, kind, queue, payload, state, fence, attempt_count, created_at, started_at, completed_at)
  SELECT true, 'bench', 'bench', jsonb_build_object('n', n), 'done', nextval('holdfast_bench.lease_no_seq'), 1,
    now() - interval '1 day', now() - interval '1 day', now() - interval '1 day'
  FROM generate_series(1, ?) AS n
  RETURNING id, fence, started_at, completed_at
)
INSERT INTO holdfast_bench.ticket_attempts (ticket_id, lease_no, started_at, finished_at, attempt, outcome, worker_id)
SELECT id, fence, started_at, completed_at, 1, 'succeeded', 'earlier' FROM t
