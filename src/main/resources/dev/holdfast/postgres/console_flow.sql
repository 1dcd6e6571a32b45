-- Finished attempts of the last half hour by queue and minute; of a busy database no more than 20,000 of them. No parameters.
-- Index: the BRIN on ticket_attempts.finished_at.
SELECT b.queue, date_trunc('minute', a.finished_at) AS starts_at,
  count(*) FILTER (WHERE a.outcome = 'succeeded') AS succeeded,
  count(*) FILTER (WHERE a.outcome IN ('failed', 'crashed')) AS failed
FROM (
  SELECT ticket_id, finished_at, outcome FROM holdfast.ticket_attempts
  WHERE finished_at > now() - interval '30 minutes' AND outcome IN ('succeeded', 'failed', 'crashed')
  LIMIT 20000) a
CROSS JOIN LATERAL (SELECT t.queue FROM holdfast.ticket_base t WHERE t.id = a.ticket_id LIMIT 1) b
GROUP BY 1, 2
ORDER BY 2, 1
