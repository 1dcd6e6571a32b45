-- The tickets a worker would claim next, not claimed. Parameters: :queue, NULL for all; :limit.
WHERE t.id = ANY (ARRAY(
  SELECT c.id
  FROM (
    SELECT r.id, r.priority, r.created_at, r.queue FROM holdfast.ready r
    UNION ALL
    SELECT w.id, w.priority, w.created_at, g.queue FROM holdfast.in_line w JOIN holdfast.line_gates g ON g.line = w.line
    UNION ALL
    SELECT d.id, d.priority, d.created_at, d.queue FROM holdfast.deferred d WHERE d.run_at <= now()
  ) c
  JOIN holdfast.queues q ON q.name = c.queue AND q.paused_at IS NULL
  WHERE :queue::text IS NULL OR c.queue = :queue
  ORDER BY c.priority DESC, c.created_at, c.id
  LIMIT :limit))
ORDER BY t.priority DESC, t.created_at, t.id
