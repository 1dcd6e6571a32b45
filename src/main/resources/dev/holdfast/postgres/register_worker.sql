-- A worker appears; it wants wake-ups from the start. Repeating it after a lost database is harmless.
INSERT INTO holdfast.workers (id, host, pid, version, queues, kinds, concurrency, state, wants_wakeup)
VALUES (:id, :host, :pid, :version, :queues::text[], :kinds::text[], :concurrency, 'running', true)
ON CONFLICT (id) DO UPDATE SET state = 'running', heartbeat_at = now()
