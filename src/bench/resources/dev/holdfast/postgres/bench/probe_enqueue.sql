-- ?1 the payload. One ticket with its ready row.
WITH t AS (
  INSERT INTO holdfast_bench.probe_ticket (payload) VALUES (?::jsonb) RETURNING id, priority, created_at, queue
)
INSERT INTO holdfast_bench.probe_ready (priority, created_at, id, queue)
SELECT priority, created_at, id, queue FROM t
RETURNING id
