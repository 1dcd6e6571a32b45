-- Slots that finished attempts took in the last half hour, by worker and minute; of a busy database no more than 20,000 attempts.
-- No parameters. Index: the BRIN on ticket_attempts.finished_at.
SELECT a.worker_id, m.starts_at,
  sum(extract(epoch FROM LEAST(a.finished_at, m.starts_at + interval '1 minute') - GREATEST(a.started_at, m.starts_at)))::float8 / 60 AS slots
FROM (
  SELECT worker_id, GREATEST(started_at, now() - interval '30 minutes') AS started_at, finished_at FROM holdfast.ticket_attempts
  WHERE finished_at > now() - interval '30 minutes' AND worker_id IS NOT NULL
  LIMIT 20000) a
CROSS JOIN LATERAL generate_series(date_trunc('minute', a.started_at), a.finished_at, interval '1 minute') AS m (starts_at)
WHERE a.finished_at > a.started_at
GROUP BY 1, 2
ORDER BY 2, 1
