-- The workers; one that has not said that it stopped and was not heard of for a minute is lost.
SELECT w.id, w.host, w.pid, w.version, w.queues, w.kinds, w.concurrency,
  CASE WHEN w.state <> 'stopped' AND w.heartbeat_at <= now() - interval '1 minute' THEN 'lost' ELSE w.state END AS state,
  w.started_at, w.heartbeat_at
FROM holdfast.workers w
