-- The newest batches and how far they are. Parameters: :limit, :before (an id, or null). Primary key, backwards; each one is counted where
-- that is due.
SELECT p.batch_id AS id, p.title, p.created_at, p.created_by, p.closed_at, p.cancelled_at, p.ended_at, p.total, p.ready, p.in_progress,
  p.on_hold, p.needs_review, p.done, p.cancelled, p.deleted, p.counted_at,
  ceil(1000 * EXTRACT(epoch FROM p.time_left))::bigint AS time_left_ms, p.next_count_at
FROM (SELECT b.id FROM holdfast.batches b WHERE :before::bigint IS NULL OR b.id < :before::bigint ORDER BY b.id DESC LIMIT :limit) b
CROSS JOIN LATERAL holdfast.batch_progress(b.id) p
ORDER BY b.id DESC
