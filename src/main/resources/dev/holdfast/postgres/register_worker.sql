-- A worker appears; it wants wake-ups from the start. It is repeated where a heartbeat finds the row gone, as after a restore.
INSERT INTO holdfast.workers (id, host, pid, version, queues, kinds, concurrency, state, wants_wakeup)
VALUES (:id, :host, :pid, :version, :queues::text[], :kinds::text[], :concurrency, 'running', true)
ON CONFLICT (id) DO UPDATE SET state = 'running', heartbeat_at = now()
